import type { CallOutcome } from '../contract/call.ts';
import { createRedactor, createSecretSearch } from '../runtime/redact.ts';

/** A shorter key could be a word of the answer, and the answer is what was paid for. */
const leastKeyLength = 12;

/**
 * Takes the key out of answers that echo it: they are kept in the ledger and written to files, and
 * neither is a place for it. The text is that of the body, which was read before.
 */
export function withholdKey(key: string): (outcome: CallOutcome, text: string) => CallOutcome {
  if (key.length < leastKeyLength) return (outcome) => outcome;
  // In the place of a number only a number leaves the answer readable.
  const redact = createRedactor([key], /^\d+$/.test(key) ? '0' : undefined);
  const mayHoldKey = createSecretSearch([key]);
  return (outcome, text) => {
    if (!('body' in outcome) || !Buffer.isBuffer(outcome.body)) return outcome;
    if (!mayHoldKey(text)) return outcome;
    const whole = outcome.body.toString('utf8');
    const clean = redact(whole);
    if (clean === whole) return outcome;
    const body = Buffer.from(clean);
    if (outcome.kind !== 'hit' || outcome.companyId === undefined) return { ...outcome, body };
    // What the company is called is read again, from what is left.
    const { names: _, ...rest } = outcome;
    return { ...rest, body, companyId: redact(outcome.companyId) };
  };
}
