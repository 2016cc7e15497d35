import { readFileSync } from 'node:fs';
import { DossierError } from '../core/errors.ts';
import {
  guardPassword,
  guardTokens,
  isDecodable,
  keepSecret,
} from '../core/values/known-secrets.ts';
import { leastGuardedLength } from '../core/values/redact.ts';
import { fromHere } from '../platform/files/local-path.ts';

/** `problem` contains no values of variables, which may be secrets. */
export interface Expansion {
  readonly text: string;
  readonly isExpanded: boolean;
  readonly problem?: string | undefined;
}

export type Environment = Readonly<Record<string, string | undefined>>;

const placeholder = /\$\$|\$\{([^}]*)\}|\$\{/g;
const namePattern = /^([A-Za-z_]\w*)(?::-(.*))?$/s;

/**
 * `${NAME}`, `${NAME:-default}`, and `$$` for a dollar sign. An empty variable is a problem,
 * because it could silently change a path.
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

function unsetText(name: string, env: Environment) {
  const state = env[name] === undefined ? 'is not set' : 'is empty';
  return `the environment variable ${name} ${state}; set it, or write \${${name}:-default}`;
}

/** Hides the address in a function, so it never appears in logs or JSON. */
export interface SecretAddress {
  /** As written, so it is the same whatever the variables are, but without user and password. */
  readonly name: string;
  /** Undefined if the address is empty, such as `${SLACK_WEBHOOK:-}` without the variable. */
  reveal(env: Environment): URL | undefined;
}

export interface AddressKind {
  readonly name: string;
  /** The whole address is secret, not only its user and password. */
  readonly isToken?: boolean;
  fits(address: URL): boolean;
}

export const webAddress: AddressKind = {
  name: 'an http(s) URL',
  isToken: true,
  fits: ({ protocol }) => /^https?:$/.test(protocol),
};

/** Refuses a query, which the Redis client would read as settings. */
export const redisAddress: AddressKind = {
  name: 'a URL such as redis://user:password@host:6379/0 or rediss://…',
  fits: ({ protocol, hostname, pathname, search, hash, username, password }) =>
    /^rediss?:$/.test(protocol) &&
    isDecodable(`${username}:${password}`) &&
    hostname !== '' &&
    /^(?:\/\d*)?$/.test(pathname) &&
    `${search}${hash}` === '',
};

/** The host may be empty: `postgres:///leads?host=/run/postgresql`. */
export const postgresAddress: AddressKind = {
  name: 'a URL such as postgres://user:password@host:5432/database',
  fits: ({ href, username, password, pathname, hash }) =>
    // With one slash, the password would become part of the database name.
    /^postgres(?:ql)?:\/\//.test(href) &&
    isDecodable(`${username}:${password}`) &&
    /^\/?[^/]*$/.test(pathname) &&
    hash === '',
};

export function secretAddress(
  written: string,
  field: string,
  kind: AddressKind = webAddress,
): SecretAddress {
  return {
    name: kind.isToken ? field : written.replace(secretParts, '$1'),
    reveal(env) {
      const { problem, text: filled } = expandVariables(written, env);
      if (problem) throw new DossierError('JOB_INVALID', `${field}: ${problem}`);
      const text = filled.trim();
      if (text === '') return undefined;
      guard(text, kind);
      if (!isAddress(text, kind)) {
        throw new DossierError('JOB_INVALID', `${field} is not ${kind.name}`);
      }
      return new URL(text);
    },
  };
}

/** `postgres://user:password@host/lake?password=x → postgres://host/lake` */
const secretParts = /^(.*?:\/\/)?.*@|\?.*$/gs;

export function isAddress(text: string, kind: AddressKind): boolean {
  return URL.canParse(text) && kind.fits(new URL(text));
}

const leastPartLength = 8;

function guard(text: string, kind: AddressKind) {
  if (!URL.canParse(text)) {
    keepSecret(text);
    return;
  }
  const { pathname, search, searchParams, username, password } = new URL(text);
  if (kind.isToken || `${username}${password}${search}` !== '') keepSecret(text);
  const path = `${pathname}${search}`;
  if (kind.isToken && path.length >= leastPartLength) keepSecret(path);
  const parts = kind.isToken ? [...pathname.split('/'), ...searchParams.values()] : [];
  guardTokens([...parts, username]);
  guardPassword(password);
  // PostgreSQL also accepts the password as a query parameter.
  guardPassword(searchParams.get('password') ?? '');
}

export const keyVariable = 'DOSSIER_API_KEY';

export type KeySource =
  | { readonly from: 'nowhere' }
  | { readonly from: 'environment'; readonly name: string }
  | { readonly from: 'file'; readonly path: string };

export function readKey(source: KeySource, env: Environment) {
  if (source.from === 'nowhere') return undefined;
  const place = source.from === 'file' ? source.path : `the environment variable ${source.name}`;
  const key = (source.from === 'file' ? readFile(source.path) : env[source.name])?.trim();
  if (!key) throw new DossierError('KEY_MISSING', `${place} holds no key`);
  // Other characters fail in an HTTP header, with an error that shows the key.
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new DossierError(
      'KEY_MISSING',
      `${place} must hold only the key, without spaces, line breaks or non-ASCII characters`,
    );
  }
  keepSecret(key);
  // A function, because JSON and `inspect` would show a property.
  return { reveal: () => key, warning: key.length < leastGuardedLength ? tooShort : undefined };
}

export function hasKey(source: KeySource, env: Environment): boolean {
  try {
    readKey(source, env);
    return true;
  } catch {
    return false;
  }
}

export function describeKey(source: KeySource): string {
  if (source.from === 'nowhere') return 'none';
  return source.from === 'file' ? `in ${fromHere(source.path)}` : `in the variable ${source.name}`;
}

const tooShort = `the key has fewer than ${leastGuardedLength} characters, so it is not redacted if an answer repeats it`;

function readFile(path: string) {
  try {
    return readFileSync(path, 'utf8').replace(/^\ufeff/, '');
  } catch (cause) {
    throw new DossierError('KEY_MISSING', `the key file ${path} cannot be read`, { cause });
  }
}
