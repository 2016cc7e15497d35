import type { CallOutcome } from '../contract/call.ts';
import { createRedactor } from '../runtime/redact.ts';

/** A shorter key could be a word of the answer, and the answer is what was paid for. */
const leastKeyLength = 12;

/**
 * Takes the key out of answers that echo it: they are kept in the ledger and written to files, and
 * neither is a place for it.
 */
export function withholdKey(key: string): (outcome: CallOutcome) => CallOutcome {
  if (key.length < leastKeyLength) return (outcome) => outcome;
  const redact = createRedactor([key]);
  return (outcome) => {
    if (!('body' in outcome)) return outcome;
    const text = outcome.body.toString('utf8');
    const clean = redact(text);
    return clean === text ? outcome : { ...outcome, body: Buffer.from(clean) };
  };
}
