import { parseCall } from '../contract/call.ts';
import type { Country } from '../contract/countries.ts';
import type { KnownAnswer, Source } from '../ledger/calls.ts';
import type { RowOutcome } from '../ledger/rows.ts';
import type { Match } from '../ledger/run-records.ts';
import { assertNever } from '../runtime/assert-never.ts';
import type { RunContext } from './run-context.ts';
import { openSearches } from './search-people.ts';
import { wantCall } from './want-call.ts';

/** Rows are moved to their next candidate this many at a time, so that memory stays flat. */
const rowsAtOnce = 1_000;

/**
 * Gives the rows that wait for a company call what its answer means for them: a company, the next
 * candidate, or the end. Runs inside the transaction that stores the answer.
 */
export function settleCompany(
  context: RunContext,
  callId: number,
  country: Country,
  answer: KnownAnswer,
  source: Source,
): void {
  const { ledger, run, counts } = context;
  ledger.calls.settle(run.id, callId, answer.id, source);
  counts.calls.open -= 1;
  counts.calls[source] += 1;

  // Another call's answer is served only under an identifier that it carries itself.
  const match = source === 'joined' ? 'exact' : answer.match;
  switch (answer.outcome) {
    case 'hit':
      if (match === 'mismatch' && context.job.onMismatch === 'reject') {
        tryNext(context, callId, mismatched(answer, match));
        return;
      }
      settleRows(context, ledger.rows.settleWaiting, callId, matched(answer, match));
      openSearches(context, answer.companyId ?? '', country);
      return;
    case 'miss':
      tryNext(context, callId, notFound(answer));
      return;
    case 'invalid':
      tryNext(context, callId, invalid(answer));
      return;
    case 'failed':
      counts.calls.failed += 1;
      settleRows(context, ledger.rows.settleWaiting, callId, failed(answer));
      return;
    default:
      assertNever(answer.outcome);
  }
}

/** Rows with another candidate wait for its call; the others are settled. */
function tryNext(context: RunContext, callId: number, outcome: RowOutcome): void {
  const { ledger, run } = context;
  settleRows(context, ledger.rows.settleExhausted, callId, outcome);
  for (;;) {
    const rows = ledger.rows.waiting(run.id, callId, rowsAtOnce);
    for (const { number, country, candidates, place } of rows) {
      const [kind, value] = candidates[place + 1] ?? [];
      if (kind === undefined || value === undefined) continue;
      const next = { operation: 'company', identifier: { kind, value }, country } as const;
      ledger.rows.moveOn(run.id, number, place + 1, wantCall(context, next));
    }
    if (rows.length < rowsAtOnce) return;
  }
}

function settleRows(
  { run, counts }: RunContext,
  settle: (runId: number, callId: number, outcome: RowOutcome) => number,
  callId: number,
  outcome: RowOutcome,
): void {
  const rows = settle(run.id, callId, outcome);
  counts.rows[outcome.status] += rows;
  counts.rows.open -= rows;
}

const none = { companyId: null, match: null } as const;

function matched({ id, companyId }: KnownAnswer, match: Match | null): RowOutcome {
  return { status: 'matched', reason: null, message: null, answerId: id, companyId, match };
}

function mismatched({ id }: KnownAnswer, match: Match): RowOutcome {
  const message = 'The service answered with a company that has another identifier.';
  return { ...none, status: 'not_found', reason: 'mismatch', message, answerId: id, match };
}

function notFound({ id }: KnownAnswer): RowOutcome {
  const message = 'The service knows no company under this identifier.';
  return { ...none, status: 'not_found', reason: 'not_found', message, answerId: id };
}

function invalid({ id, message }: KnownAnswer): RowOutcome {
  return { ...none, status: 'invalid', reason: 'refused_by_service', message, answerId: id };
}

function failed({ id, message }: KnownAnswer): RowOutcome {
  return { ...none, status: 'failed', reason: 'service_failed', message, answerId: id };
}

/** The country that a company call asked about. */
export function countryOf(request: string): Country {
  const call = parseCall(request);
  return call.operation === 'company' ? call.country : (call.body.selectedCountry as Country);
}
