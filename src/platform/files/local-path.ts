import { relative } from 'node:path';
import { guardAddress } from '../../core/values/known-secrets.ts';
import { printable } from '../../core/values/printable.ts';

const scheme = /^([a-z][a-z0-9+.-]+):\/\//i;

/** Only known schemes, because any other word before a colon may belong to a path. */
const meantScheme = /^(s3|https?|postgres(?:ql)?|rediss?|gs):\/?(?!\/)/i;

const advice: Readonly<Record<string, string>> = {
  s3: 'copy it (aws s3 cp) or mount the bucket',
  https: 'download it first (curl -O), or pipe it in',
  http: 'download it first (curl -O), or pipe it in',
  file: 'remove file://',
  postgres: 'export the list to a file first; to load results into PostgreSQL, use output.postgres',
  postgresql:
    'export the list to a file first; to load results into PostgreSQL, use output.postgres',
};

function schemeOf(path: string) {
  return scheme.exec(path)?.[1]?.toLowerCase();
}

/** As a local path, `s3://bucket` would create a folder called `s3:`. */
export function notLocal(path: string, ...schemes: readonly string[]): string | undefined {
  const schemeName = schemeOf(path);
  if (schemeName === undefined) {
    const [written, name] = meantScheme.exec(path) ?? [];
    return written === undefined
      ? undefined
      : `a URL needs two slashes (${name}://); if this is a local path, begin it with ./${written}`;
  }
  if (schemes.includes(schemeName)) return undefined;
  const places = schemes.map((known) => ` or ${known}://`).join('');
  return `${schemeName}:// is not supported; use a local path${places}. To do so, ${advice[schemeName] ?? 'copy or mount the file'}`;
}

export function isListAddress(path: string): boolean {
  return ['https', 'http', 's3'].includes(schemeOf(path) ?? '');
}

export function notReadable(path: string): string | undefined {
  const schemeName = schemeOf(path);
  if (schemeName === 's3') {
    return /^s3:\/\/[a-z0-9][a-z0-9._-]{1,62}\/./is.test(path)
      ? undefined
      : 'use the form s3://bucket/path/leads.csv, without credentials';
  }
  if (!schemeName?.startsWith('http')) return notLocal(path, 'https', 's3');
  if (!URL.canParse(path)) return 'this is not a URL';
  return schemeName === 'http' && !isLoopback(new URL(path).hostname)
    ? 'http:// is allowed only for this machine, because others on the network could read and change the list: use https://'
    : undefined;
}

/** `https://user:secret@host/leads.csv?key=… → https://host/leads.csv` */
export function shownPath(path: string): string {
  const schemeName = schemeOf(path);
  if (schemeName === undefined) {
    return meantScheme.test(path) ? path.replace(/[?#].*$/s, '').replace(/:.*@/s, ':/') : path;
  }
  // An S3 key may contain a question mark.
  if (schemeName === 's3') return path.replace(/:\/\/[^/]*@/, '://');
  if (schemeName.startsWith('http') && URL.canParse(path)) {
    const { protocol, host, pathname } = new URL(path);
    return `${protocol}//${host}${pathname}`;
  }
  return path.replace(/[?#].*$/s, '').replace(/:\/\/.*@/s, '://');
}

export interface ListAddress {
  /** Without user, password and query, which may be secret or change every night. */
  readonly shown: string;
  /** A function, so the secret address does not appear in JSON. */
  reveal(): string;
}

export type ListLocation = string | ListAddress;

export function listAddress(written: string): ListAddress | undefined {
  if (!isListAddress(written)) return undefined;
  guardAddress(written);
  return { shown: shownPath(written), reveal: () => written };
}

export function fromHere(path: string): string {
  const short = path.includes('://') ? path : relative(process.cwd(), path) || '.';
  return printable(short.startsWith('..') ? path : short);
}

export function isObject({ shown }: ListAddress): boolean {
  return /^s3:/i.test(shown);
}

export function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|::1|\[::1\])$/.test(hostname);
}

/** Quotes a path or address for a shell, without secrets. */
export function shellWord(given: string): string {
  const text = isListAddress(given) && /[@?#]/.test(given) ? shownPath(given) : given;
  // A terminal prints the escapes in $'…' as they are; a shell turns them into characters.
  if (printable(text) !== text) return `$'${printable(text.replaceAll(/[\\']/g, '\\$&'))}'`;
  return /^[\w./@%+=:,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
