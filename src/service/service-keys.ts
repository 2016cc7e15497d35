import { randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { DossierError } from '../errors.ts';
import { isLoopback } from '../runtime/files/local-path.ts';
import { ServiceProblem } from './answer-errors.ts';

const visibleAscii = /^[\x21-\x7e]+$/;

interface KeySources {
  keys: readonly string[];
  keyFiles: readonly string[];
  /** DOSSIER_SERVICE_KEYS: keys separated by commas or white space. */
  environment: string | undefined;
  host: string;
}

/** Collects the keys that the service accepts. Without one it may listen on loopback only. */
export function serviceKeys(sources: KeySources) {
  const given = [
    ...sources.keys,
    ...sources.keyFiles.flatMap(readKeyFile),
    ...(sources.environment?.split(/[\s,]+/).filter(Boolean) ?? []),
  ];
  for (const key of given) {
    if (!visibleAscii.test(key)) {
      throw new DossierError('USAGE', 'a key is made of visible ASCII characters without spaces');
    }
  }
  if (given.length > 0) return { keys: [...new Set(given)], madeKey: undefined };
  if (!isLoopback(sources.host)) {
    throw new DossierError(
      'USAGE',
      `${sources.host} can be reached by others: give a key with --key-file or DOSSIER_SERVICE_KEYS, or bind to 127.0.0.1`,
    );
  }
  // It is printed once and stored nowhere.
  const madeKey = randomBytes(24).toString('base64url');
  return { keys: [madeKey], madeKey };
}

function readKeyFile(path: string): string[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const reason = (error as Error).message;
    throw new DossierError('INPUT_UNREADABLE', `cannot read the key file: ${reason}`, {
      cause: error,
    });
  }
  const keys = text.split(/\s+/).filter(Boolean);
  if (keys.length === 0) throw new DossierError('USAGE', `the key file ${path} holds no key`);
  return keys;
}

/**
 * Compares every key in full and in constant time, so that the time of an answer does not tell how
 * much of a guess is right. Keys are padded to one byte more than the longest, so that a longer
 * guess never equals a key. What it returns gives the index of the key that a request carries.
 */
export function authenticateBy(keys: readonly string[]) {
  const width = Math.max(0, ...keys.map((key) => key.length)) + 1;
  const known = keys.map((key) => Buffer.alloc(width).fill(key, 0, key.length, 'latin1'));
  const given = Buffer.alloc(width);
  return (authorization: string | undefined): number => {
    const token = /^bearer +(.+)$/i.exec(authorization ?? '')?.[1]?.trim();
    if (!token) throw new ServiceProblem('KEY_MISSING');
    given.fill(0).write(token, 'latin1');
    let found = -1;
    for (const [index, key] of known.entries()) {
      if (timingSafeEqual(given, key)) found = index;
    }
    // Writing latin1 keeps one byte of each character, so a wrong character could equal a right one.
    if (found === -1 || !visibleAscii.test(token)) throw new ServiceProblem('KEY_WRONG');
    return found;
  };
}
