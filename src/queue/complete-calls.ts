import type { AnswersByCall } from '../ledger/calls/answers-by-call.ts';
import { laterCandidates, type WaitingRow } from '../rules/next-candidate.ts';
import { type RowVerdict, verdictFor } from '../rules/row-verdict.ts';
import { type CompletedCall, type CompletedLookup, completedLookup } from './completed-call.ts';
import { staleOutcomes } from './kept/keep-stale.ts';
import type { QueueState } from './queue-state.ts';
import { completePage, openSearches } from './search-people.ts';
import { wantLookups } from './want-calls.ts';

/** Completes calls by answers that the ledger holds, and the rows and searches that wait for them. */
export function completeCalls(state: QueueState, calls: readonly CompletedCall[]): void {
  const { ledger, run, counts } = state;
  for (const [source, group] of Map.groupBy(calls, (call) => call.source)) {
    const completed = ledger.calls.complete(run.id, answersByCall(group), source);
    counts.calls.open -= completed.all;
    counts.calls[source] += completed.all;
    counts.calls.failed += completed.failed;
  }
  completeRows(
    state,
    calls.filter((call) => call.operation === 'company'),
  );
  for (const call of calls) if (call.operation === 'people') completePage(state, call);
}

/** Rows are moved to their next candidate this many at a time, so that memory stays flat. */
const rowsInBatch = 1_000;

/** Gives waiting rows what the answers mean for them: a company, the next candidate or the end. */
function completeRows(state: QueueState, lookups: readonly CompletedLookup[]): void {
  const groups = Map.groupBy(lookups, ({ answer, source }) =>
    verdictFor(answer, source, state.terms.onMismatch),
  );
  for (const [verdict, group] of groups) {
    const answers = answersByCall(group);
    if (verdict.status === 'failed') keepStaleRows(state, answers);
    endRows(state, verdict, answers);
  }
  // After all rows that can end: a row may move on to another call of these.
  for (const [{ next }, group] of groups) {
    if (next === 'candidate') askNextCandidates(state, answersByCall(group));
    if (next !== 'people') continue;
    for (const { answer, country } of group) openSearches(state, answer.companyId ?? '', country);
  }
}

/** Rows whose call failed keep the answers that they had, as stale ones, where there are any. */
function keepStaleRows(state: QueueState, answers: AnswersByCall): void {
  const { ledger, run, terms, counts } = state;
  const rows = ledger.outcomes.waiting(run.id, answers, Number.MAX_SAFE_INTEGER);
  const stale = staleOutcomes(ledger, run, terms, rows);
  ledger.outcomes.keepStale(run.id, stale);
  const callOf = new Map(rows.map(({ rowId, callId }) => [rowId, callId]));
  for (const { rowId, status } of stale) {
    ledger.outcomes.stopWaiting(run.id, { rowId, callId: callOf.get(rowId) ?? 0 });
    counts.rows[status] += 1;
    counts.rows.open -= 1;
    counts.stale += 1;
  }
}

function answersByCall(calls: readonly CompletedCall[]): AnswersByCall {
  return new Map(calls.map(({ callId, answer }) => [callId, answer.id]));
}

/** Ends the rows of a verdict; where there may be another candidate, only those that have none. */
function endRows({ ledger, run, counts }: QueueState, verdict: RowVerdict, answers: AnswersByCall) {
  const { status, next } = verdict;
  const end = next === 'candidate' ? ledger.outcomes.endExhausted : ledger.outcomes.endWaiting;
  const rows = end(run.id, answers, verdict);
  counts.rows[status] += rows;
  counts.rows.open -= rows;
}

/** Lets the rows that still wait for these calls ask for their next candidate. */
function askNextCandidates(state: QueueState, answers: AnswersByCall): void {
  const { ledger, run } = state;
  let rows: WaitingRow[];
  do {
    rows = ledger.outcomes.waiting(run.id, answers, rowsInBatch);
    if (rows.length > 0) moveRows(state, rows);
  } while (rows.length === rowsInBatch);
}

function moveRows(state: QueueState, rows: readonly WaitingRow[]): void {
  const { ledger, run } = state;
  const moves = rows.flatMap((row) => {
    const [next] = laterCandidates(row);
    return next ? [{ row, ...next }] : [];
  });
  const callIds = wantLookups(
    state,
    moves.map(({ call }) => call),
  );
  const answered = new Map<number, CompletedLookup | undefined>();
  for (const [index, { row, place, call }] of moves.entries()) {
    const callId = callIds[index] ?? 0;
    ledger.outcomes.moveOn(run.id, row, place, callId);
    if (answered.has(callId)) continue;
    const completion = ledger.calls.completion(run.id, callId);
    answered.set(callId, completion && completedLookup(callId, call, completion));
  }
  // A call that is complete brings no answer any more, so its rows get the one that it has. All at
  // once: each time reads every row of the call, ended or not.
  const known = [...answered.values()].filter((lookup) => lookup !== undefined);
  if (known.length > 0) completeRows(state, known);
}
