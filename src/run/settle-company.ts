import type { Country } from '../contract/countries.ts';
import type { KnownAnswer } from '../ledger/answers.ts';
import type { RowOutcome } from '../ledger/rows.ts';
import type { Match } from '../ledger/run-records.ts';
import type { Source } from '../ledger/tasks.ts';
import { assertNever } from '../runtime/assert-never.ts';
import type { RunContext } from './run-context.ts';
import { openSearches } from './search-people.ts';
import { wantCall } from './want-call.ts';

/** Rows are moved to their next candidate this many at a time, so that memory stays flat. */
const rowsAtOnce = 1_000;

/** Settles a company call of the run, and the rows that wait for it. Runs inside a transaction. */
export function settleCompany(
  context: RunContext,
  callId: number,
  country: Country,
  answer: KnownAnswer,
  source: Source,
): void {
  const { ledger, run, counts } = context;
  ledger.calls.settle(run.id, callId, answer, source);
  counts.calls.open -= 1;
  counts.calls[source] += 1;
  if (answer.outcome === 'failed') counts.calls.failed += 1;
  giveToRows(context, callId, country, answer, source);
}

/** Gives the waiting rows what the answer means for them: a company, the next candidate, the end. */
function giveToRows(
  context: RunContext,
  callId: number,
  country: Country,
  answer: KnownAnswer,
  source: Source,
): void {
  const { rows } = context.ledger;
  // Another call's answer is served only under an identifier that it carries itself.
  const match = source === 'joined' ? 'exact' : answer.match;
  switch (answer.outcome) {
    case 'hit':
      if (match === 'mismatch' && context.job.onMismatch === 'reject') {
        tryNext(context, callId, mismatched(answer, match));
        return;
      }
      settleRows(context, rows.settleWaiting, callId, matched(context, answer, match, country));
      openSearches(context, answer.companyId ?? '', country);
      return;
    case 'miss':
      tryNext(context, callId, notFound(answer));
      return;
    case 'invalid':
      tryNext(context, callId, invalid(answer));
      return;
    case 'failed':
      settleRows(context, rows.settleWaiting, callId, failed(answer));
      return;
    default:
      assertNever(answer.outcome);
  }
}

/** Rows with another candidate wait for its call; the others are settled. */
function tryNext(context: RunContext, callId: number, outcome: RowOutcome): void {
  const { ledger, run } = context;
  settleRows(context, ledger.rows.settleExhausted, callId, outcome);
  let isGathered = false;
  for (;;) {
    const rows = ledger.rows.waiting(run.id, callId, rowsAtOnce);
    for (const { number, country, candidates, place } of rows) {
      const [kind, value] = candidates[place + 1] ?? [];
      if (kind === undefined || value === undefined) continue;
      const call = { operation: 'company', identifier: { kind, value }, country } as const;
      // What is asked for only now may have been answered under another name before.
      if (!isGathered) ledger.calls.gatherAliases();
      isGathered = true;
      const next = wantCall(context, call);
      ledger.rows.moveOn(run.id, number, place + 1, next);
      // Other rows may have asked this before: then the answer is there, and nobody will bring it.
      const settled = ledger.calls.settledTask(run.id, next);
      if (settled) giveToRows(context, next, country, settled.answer, settled.source);
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

const noCompany = { companyId: null, country: null } as const;
const none = { ...noCompany, match: null } as const;

function matched(
  { run }: RunContext,
  { id: answerId, companyId }: KnownAnswer,
  match: Match | null,
  country: Country,
): RowOutcome {
  const outcome = { status: 'matched', reason: null, message: null, answerId, match } as const;
  // Rows are looked for by their company only to tell whose people were found.
  return { ...outcome, ...(run.hasPeople ? { companyId, country } : noCompany) };
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
