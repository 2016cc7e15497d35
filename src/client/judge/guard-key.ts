import type { CallOutcome } from '../../contract/call.ts';
import { createRedactor, createSecretSearch } from '../../runtime/redact.ts';

/** A shorter key could be a word of the answer, and the answer is what was paid for. */
const leastKeyLength = 12;

/**
 * Takes the key out of outcomes whose body echoes it: bodies are kept in the ledger and written to
 * files, and neither may hold the key.
 */
export function guardKey(key: string): (outcome: CallOutcome) => CallOutcome {
  if (key.length < leastKeyLength) return (outcome) => outcome;
  const mayBeIn = createSecretSearch([key]);
  // In the place of a number only a number leaves the answer readable.
  const redact = createRedactor([key], /^\d+$/.test(key) ? '0' : undefined);
  return (outcome) => {
    if (!('body' in outcome) || !mayBeIn(outcome.body)) return outcome;
    const text = outcome.body.toString('utf8');
    const clean = redact(text);
    if (clean === text) return outcome;
    const body = Buffer.from(clean);
    if (outcome.kind !== 'hit' || outcome.companyId === undefined) return { ...outcome, body };
    // The names are left out, so that they are read again from what is left of the body.
    const { names: _, ...rest } = outcome;
    return { ...rest, body, companyId: redact(outcome.companyId) };
  };
}
