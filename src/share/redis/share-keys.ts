import { scryptSync } from 'node:crypto';

/** The names of all that belongs to one service and key in Redis. */
export interface ShareKeys {
  /** Given to BullMQ, which puts it before its own names. */
  readonly prefix: string;
  /** What is known of the rate, and when no request may leave. */
  readonly rate: string;
  /** Runs by when they count as gone. */
  readonly present: string;
  /** Why all runs stop, where they do. */
  readonly stop: string;
  /** Answers by when they expire, those that a run has stored, and the bytes of each. */
  readonly expiring: string;
  readonly stored: string;
  readonly sizes: string;
  answer(call: string): string;
  /** How often a call was asked and ended. */
  generation(call: string): string;
}

/**
 * Names a service and key. The hash is slow, so that a key cannot be guessed from it; the braces keep
 * all names on one node of a cluster.
 */
export function shareKeys(service: string, key: string): ShareKeys {
  const account = scryptSync(key, `dossier\n${service}`, 9).toString('base64url');
  const prefix = `dossier:{${account}}`;
  const named = (name: string) => `${prefix}:${name}`;
  return {
    prefix,
    rate: named('rate'),
    present: named('present'),
    stop: named('stop'),
    expiring: named('expiring'),
    stored: named('stored'),
    sizes: named('sizes'),
    answer: (call) => named(`answer:${call}`),
    generation: (call) => named(`generation:${call}`),
  };
}
