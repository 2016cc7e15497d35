import { createHash } from 'node:crypto';

/**
 * Names the account that a key is charged to. Eight bytes of the hash tell accounts apart; the key
 * cannot be had back from them.
 */
export function accountOf(service: string, key: string): string {
  return createHash('sha256').update(`${service}\n${key}`).digest('hex').slice(0, 16);
}
