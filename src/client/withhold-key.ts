import type { CallOutcome } from '../contract/call.ts';
import { createRedactor, secretForms } from '../runtime/redact.ts';

/** A shorter key could be a word of the answer, and the answer is what was paid for. */
const leastKeyLength = 12;

/**
 * Takes the key out of answers that echo it: they are kept in the ledger and written to files, and
 * neither is a place for it.
 */
export function withholdKey(key: string): (outcome: CallOutcome) => CallOutcome {
  if (key.length < leastKeyLength) return (outcome) => outcome;
  const redact = createRedactor([key]);
  const forms = secretForms(key).map((form) => Buffer.from(form));
  return (outcome) => {
    if (!('body' in outcome)) return outcome;
    const { body } = outcome;
    if (!Buffer.isBuffer(body)) return outcome;
    // Looked for in the bytes: nearly no answer holds it, and text would have to be made of each.
    if (!forms.some((form) => body.includes(form))) return outcome;
    return { ...outcome, body: Buffer.from(redact(body.toString('utf8'))) };
  };
}
