import type { CallOutcome } from '../contract/call.ts';
import { createRedactor, createSecretSearch } from '../runtime/redact.ts';

/** A shorter key could be a word of the answer, and the answer is what was paid for. */
const leastKeyLength = 12;

export interface KeyGuard {
  /** Whether the body of an answer may echo the key: hardly any does, and this is quick to say so. */
  mayBeIn(body: Buffer): boolean;
  /** Takes the key out of an answer that echoes it. */
  withhold(outcome: CallOutcome): CallOutcome;
}

/**
 * Keeps the key out of answers that echo it: they are kept in the ledger and written to files, and
 * neither is a place for it.
 */
export function guardKey(key: string): KeyGuard {
  if (key.length < leastKeyLength) return { mayBeIn: () => false, withhold: (outcome) => outcome };
  // In the place of a number only a number leaves the answer readable.
  const redact = createRedactor([key], /^\d+$/.test(key) ? '0' : undefined);
  const withhold = (outcome: CallOutcome): CallOutcome => {
    if (!('body' in outcome)) return outcome;
    const text = outcome.body.toString('utf8');
    const clean = redact(text);
    if (clean === text) return outcome;
    const body = Buffer.from(clean);
    if (outcome.kind !== 'hit' || outcome.companyId === undefined) return { ...outcome, body };
    // What the company is called is read again, from what is left.
    const { names: _, ...rest } = outcome;
    return { ...rest, body, companyId: redact(outcome.companyId) };
  };
  return { mayBeIn: createSecretSearch([key]), withhold };
}
