import type { CallOutcome } from '../../contract/call.ts';
import {
  createRedactor,
  createSecretSearch,
  leastGuardedLength,
} from '../../runtime/log/redact.ts';

/**
 * Takes the key out of outcomes whose body echoes it: bodies are kept in the ledger and written to
 * files, and neither may hold the key.
 */
export function guardKey(key: string): (outcome: CallOutcome) => CallOutcome {
  if (key.length < leastGuardedLength) return (outcome) => outcome;
  const mayBeIn = createSecretSearch(key);
  // In place of a number only a number leaves JSON readable.
  const number = /^\d+$/.test(key)
    ? new RegExp(`-?[\\d.]{0,40}${key}[\\d.]{0,40}`, 'g')
    : undefined;
  const redact = createRedactor([key]);
  return (outcome) => {
    if (!('body' in outcome) || !mayBeIn(outcome.body)) return outcome;
    const text = outcome.body.toString('utf8');
    const clean = redact(number ? text.replace(number, '0') : text);
    if (clean === text) return outcome;
    const body = Buffer.from(clean);
    if (outcome.kind !== 'hit' || outcome.companyId === undefined) return { ...outcome, body };
    // The names are left out, so that they are read again from what is left of the body.
    const { names: _, ...rest } = outcome;
    return { ...rest, body, companyId: redact(outcome.companyId) };
  };
}
