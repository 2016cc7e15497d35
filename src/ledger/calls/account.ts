import { createHash } from 'node:crypto';

/**
 * Names the account that a key is charged to. Four bytes of the hash tell accounts apart, and are
 * too few to guess a key by.
 */
export function accountOf(service: string, key: string): string {
  return createHash('sha256').update(`${service}\n${key}`).digest('hex').slice(0, 8);
}
