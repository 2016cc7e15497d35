import type { CallOutcome } from '../../contract/call.ts';
import {
  createRedactor,
  createSecretSearch,
  leastGuardedLength,
} from '../../runtime/log/redact.ts';
import { redactBody } from './redact-body.ts';

/**
 * Takes the key out of outcomes whose body echoes it: bodies are kept in the ledger and written to
 * files, and neither may hold the key.
 */
export function guardKey(key: string): (outcome: CallOutcome) => CallOutcome {
  if (key.length < leastGuardedLength) return (outcome) => outcome;
  const mayBeIn = createSearch(key);
  const redact = createRedactor([key]);
  return (outcome) => {
    if (!('body' in outcome) || !mayBeIn(outcome.body)) return outcome;
    const text = outcome.body.toString('utf8');
    const clean = redactBody(outcome.body, key, redact);
    if (clean === text) return outcome;
    const body = Buffer.from(clean);
    if (outcome.kind !== 'hit' || outcome.companyId === undefined) return { ...outcome, body };
    // The names are left out, so that they are read again from what is left of the body.
    const { names: _, ...rest } = outcome;
    return { ...rest, body, companyId: redact(outcome.companyId) };
  };
}

function createSearch(key: string): (body: Buffer) => boolean {
  const mayBeIn = createSecretSearch([key]);
  if (String(Number(key)) !== key) return mayBeIn;
  // JSON has many ways to write a number: 1.2345678e7 is read as the key 12345678.
  return (body) => mayBeIn(body) || /\d[.eE]/.test(body.toString('latin1'));
}
