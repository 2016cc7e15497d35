import { readFileSync } from 'node:fs';
import { DossierError } from '../errors.ts';
import { keepSecret } from '../runtime/known-secrets.ts';
import type { Environment } from './expand-variables.ts';

/** Where the key is, which may be printed; the key itself may not. */
export type KeySource =
  | { readonly from: 'nowhere' }
  | { readonly from: 'environment'; readonly name: string }
  | { readonly from: 'file'; readonly path: string };

/** A key that does not show when it is logged, printed or written as JSON. */
export interface ServiceKey {
  reveal(): string;
}

/** Reads the key; undefined where none is needed, as for the embedded service. */
export function readKey(source: KeySource, env: Environment): ServiceKey | undefined {
  if (source.from === 'nowhere') return undefined;
  const place = source.from === 'file' ? source.path : `the environment variable ${source.name}`;
  const key = (source.from === 'file' ? readFile(source.path) : env[source.name])?.trim();
  if (!key) throw new DossierError('KEY_MISSING', `${place} holds no key`);
  // Anything else cannot stand in a header, and the error there would repeat it.
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new DossierError(
      'KEY_MISSING',
      `${place} holds more than a key: spaces, line breaks or letters beyond ASCII`,
    );
  }
  keepSecret(key);
  // A function keeps it out of JSON and out of inspect, which would show any property.
  return { reveal: () => key };
}

function readFile(path: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/^\ufeff/, '');
  } catch (cause) {
    throw new DossierError('KEY_MISSING', `the key file ${path} cannot be read`, { cause });
  }
}
