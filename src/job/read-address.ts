import { DossierError } from '../errors.ts';
import {
  guardPassword,
  guardTokens,
  isDecodable,
  keepSecret,
} from '../runtime/log/known-secrets.ts';
import { type Environment, expandVariables } from './file/expand-variables.ts';

/**
 * An address that is a secret, as the job has it: whoever knows it can post to it, or read there. It
 * does not appear when the job is logged or written as JSON.
 */
export interface SecretAddress {
  /** Fills in variables. Undefined where these leave nothing, as `${SLACK_WEBHOOK:-}` may. */
  reveal(env: Environment): URL | undefined;
}

/** What an address has to be. */
export interface AddressKind {
  /** As messages call it. */
  readonly name: string;
  /** The address itself is a secret: whoever knows it may use it. Else only the user and password in it are. */
  readonly isToken?: boolean;
  fits(address: URL): boolean;
}

export const webAddress: AddressKind = {
  name: 'http(s) address',
  isToken: true,
  fits: ({ protocol }) => /^https?:$/.test(protocol),
};

/** The client of Redis would take what stands behind a `?` for settings of its own. */
export const redisAddress: AddressKind = {
  name: 'address such as redis://user:password@host:6379/0 or rediss://…',
  fits: ({ protocol, hostname, pathname, search, hash, username, password }) =>
    /^rediss?:$/.test(protocol) &&
    isDecodable(`${username}:${password}`) &&
    hostname !== '' &&
    /^(?:\/\d*)?$/.test(pathname) &&
    `${search}${hash}` === '',
};

/** A database may be named by the service behind a socket, which has no host: `postgres:///leads?host=/run/postgresql`. */
export const postgresAddress: AddressKind = {
  name: 'address such as postgres://user:password@host:5432/database',
  fits: ({ href, username, password, pathname, hash }) =>
    // With one slash all of the address would be the name of a database, the password, too.
    /^postgres(?:ql)?:\/\//.test(href) &&
    isDecodable(`${username}:${password}`) &&
    /^\/?[^/]*$/.test(pathname) &&
    hash === '',
};

/** `field` names the address in messages, which never show it. */
export function secretAddress(
  written: string,
  field: string,
  kind: AddressKind = webAddress,
): SecretAddress {
  return {
    reveal(env) {
      const expansion = expandVariables(written, env);
      if ('problem' in expansion) {
        throw new DossierError('JOB_INVALID', `${field}: ${expansion.problem}`);
      }
      const text = expansion.text.trim();
      if (text === '') return undefined;
      guard(text, kind);
      if (!isAddress(text, kind)) {
        throw new DossierError('JOB_INVALID', `${field} holds no ${kind.name}`);
      }
      return new URL(text);
    },
  };
}

export function isAddress(text: string, kind: AddressKind): boolean {
  return URL.canParse(text) && kind.fits(new URL(text));
}

/** Parts of an address that are shorter could be a word of any message. */
const leastPartLength = 8;

/** Keeps an address out of whatever is printed: as a whole, and the parts of it that look like a token. */
function guard(text: string, kind: AddressKind): void {
  if (!URL.canParse(text)) {
    keepSecret(text);
    return;
  }
  const { pathname, search, searchParams, username, password } = new URL(text);
  // Where a Redis or database is may be told: only a user name or a password makes its address a secret.
  if (kind.isToken || `${username}${password}${search}` !== '') keepSecret(text);
  const path = `${pathname}${search}`;
  if (kind.isToken && path.length >= leastPartLength) keepSecret(path);
  const parts = kind.isToken ? [...pathname.split('/'), ...searchParams.values()] : [];
  guardTokens([...parts, username]);
  guardPassword(password);
  // A client of PostgreSQL takes the password as a setting, too.
  guardPassword(searchParams.get('password') ?? '');
}
