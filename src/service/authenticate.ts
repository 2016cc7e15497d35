import { hash, timingSafeEqual } from 'node:crypto';
import { ServiceProblem } from './service-problem.ts';

/** Says which key a request carries, by its place in the list; throws when it carries none of them. */
export type Authenticate = (authorization: string | undefined) => number;

/**
 * Every key is compared in full and in constant time: neither the length of the answer nor the
 * time it takes tells how much of a guess was right.
 */
export function authenticateBy(keys: readonly string[]): Authenticate {
  const digests = keys.map(digest);
  return (authorization) => {
    const token = /^bearer +(.+)$/i.exec(authorization ?? '')?.[1]?.trim();
    if (!token) throw new ServiceProblem('KEY_MISSING');
    const given = digest(token);
    let found = -1;
    for (const [index, known] of digests.entries()) {
      if (timingSafeEqual(given, known)) found = index;
    }
    if (found === -1) throw new ServiceProblem('KEY_WRONG');
    return found;
  };
}

function digest(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}
