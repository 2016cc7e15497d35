import { readFileSync } from 'node:fs';
import { DossierError } from '../core/errors.ts';
import {
  guardPassword,
  guardTokens,
  isDecodable,
  keepSecret,
} from '../core/runtime/log/known-secrets.ts';
import { leastGuardedLength } from '../core/runtime/log/redact.ts';

/** A text of the job file with its variables filled in. A problem never shows their values. */
export interface Expansion {
  readonly text: string;
  readonly isExpanded: boolean;
  readonly problem?: string | undefined;
}

export type Environment = Readonly<Record<string, string | undefined>>;

const placeholder = /\$\$|\$\{([^}]*)\}|\$\{/g;
const namePattern = /^([A-Za-z_]\w*)(?::-(.*))?$/s;

/**
 * Fills in `${NAME}` and `${NAME:-default}`; `$$` is a dollar sign. A variable that is unset or
 * empty is a problem: filled in as empty text it could change the meaning of a path.
 */
export function expandVariables(written: string, env: Environment): Expansion {
  const problems: string[] = [];
  let isExpanded = false;
  const text = written.replace(placeholder, (whole, inside?: string) => {
    if (whole === '$$') return '$';
    const [, name, fallback] = namePattern.exec(inside ?? '') ?? [];
    if (name === undefined) {
      problems.push(
        `a variable is written \${NAME} or \${NAME:-default}; for a dollar sign write $$`,
      );
      return '';
    }
    isExpanded = true;
    const value = env[name] || fallback;
    if (value === undefined) problems.push(unsetText(name, env));
    return value ?? '';
  });
  const [problem] = problems;
  return { text: problem ? '' : text, isExpanded, problem };
}

function unsetText(name: string, env: Environment): string {
  const state = env[name] === undefined ? 'is not set' : 'is empty';
  return `the environment variable ${name} ${state}; set it, or write \${${name}:-default}`;
}

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
      const { problem, text: filled } = expandVariables(written, env);
      if (problem) throw new DossierError('JOB_INVALID', `${field}: ${problem}`);
      const text = filled.trim();
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

/** The environment variable that holds the key of the service, unless a job names another. */
export const keyVariable = 'DOSSIER_API_KEY';

/** Where the key comes from. It may be printed; the key itself may not. */
export type KeySource =
  | { readonly from: 'nowhere' }
  | { readonly from: 'environment'; readonly name: string }
  | { readonly from: 'file'; readonly path: string };

/** Undefined when no key is needed, as for the embedded service. */
export function readKey(
  source: KeySource,
  env: Environment,
):
  | {
      reveal(): string;
      /** What to tell the user about a key that cannot be taken out of answers which repeat it. */
      readonly warning?: string;
    }
  | undefined {
  if (source.from === 'nowhere') return undefined;
  const place = source.from === 'file' ? source.path : `the environment variable ${source.name}`;
  const key = (source.from === 'file' ? readFile(source.path) : env[source.name])?.trim();
  if (!key) throw new DossierError('KEY_MISSING', `${place} holds no key`);
  // Other characters are refused in an HTTP header, with an error that shows the key.
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new DossierError(
      'KEY_MISSING',
      `${place} holds more than a key: spaces, line breaks or letters beyond ASCII`,
    );
  }
  keepSecret(key);
  // JSON and inspect show properties, but not what a function closes over.
  return { reveal: () => key, ...(key.length < leastGuardedLength && { warning: tooShort }) };
}

const tooShort = `the key has fewer than ${leastGuardedLength} characters, so it is not taken out of an answer that repeats it`;

function readFile(path: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/^\ufeff/, '');
  } catch (cause) {
    throw new DossierError('KEY_MISSING', `the key file ${path} cannot be read`, { cause });
  }
}
