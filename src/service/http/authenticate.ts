import { timingSafeEqual } from 'node:crypto';
import { ServiceProblem } from './service-problem.ts';

/** Says which key a request carries, by its place in the list; throws when it carries none of them. */
export type Authenticate = (authorization: string | undefined) => number;

const visibleAscii = /^[\x21-\x7e]+$/;

/**
 * Every key is compared in full and in constant time: neither the length of the answer nor the
 * time it takes tells how much of a guess was right. All are padded to one width, a byte more than
 * the longest, so that a longer guess never looks like a key.
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
    // No key has other characters, but cut to one byte they could look like those of a key.
    if (found === -1 || !visibleAscii.test(token)) throw new ServiceProblem('KEY_WRONG');
    return found;
  };
}
