import { timingSafeEqual } from 'node:crypto';
import { ServiceProblem } from './service-problem.ts';

/** Returns the index of the key that a request carries; throws when it carries none of the keys. */
export type Authenticate = (authorization: string | undefined) => number;

const visibleAscii = /^[\x21-\x7e]+$/;

/**
 * Compares every key in full and in constant time, so that the time of an answer does not tell how
 * much of a guess is right. Keys are padded to one byte more than the longest, so that a longer
 * guess never equals a key.
 */
export function authenticateBy(keys: readonly string[]): Authenticate {
  const width = Math.max(0, ...keys.map((key) => key.length)) + 1;
  const known = keys.map((key) => Buffer.alloc(width).fill(key, 0, key.length, 'latin1'));
  const given = Buffer.alloc(width);
  return (authorization) => {
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
