import { readFileSync } from 'node:fs';
import { DossierError } from '../errors.ts';
import { keepSecret } from '../runtime/log/known-secrets.ts';
import { leastGuardedLength } from '../runtime/log/redact.ts';
import type { Environment } from './file/expand-variables.ts';

/** The environment variable that holds the key of the service, unless a job names another. */
export const keyVariable = 'DOSSIER_API_KEY';

/** Where the key comes from. It may be printed; the key itself may not. */
export type KeySource =
  | { readonly from: 'nowhere' }
  | { readonly from: 'environment'; readonly name: string }
  | { readonly from: 'file'; readonly path: string };

/** Holds a key that does not appear when the object is logged or written as JSON. */
export interface ServiceKey {
  reveal(): string;
  /** What to tell the user about a key that cannot be taken out of answers which repeat it. */
  readonly warning?: string;
}

/** Undefined when no key is needed, as for the embedded service. */
export function readKey(source: KeySource, env: Environment): ServiceKey | undefined {
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
