import type { CallRequest } from '../contract/call.ts';
import type { KnownAnswer } from '../ledger/calls/answers.ts';
import type { CallCompletion } from '../ledger/calls/calls.ts';
import type { NewOutcome } from '../ledger/rows/outcomes.ts';
import { laterCandidates, type NextCandidate } from '../rules/next-candidate.ts';
import { verdictFor } from '../rules/row-verdict.ts';
import { outcomeOf, staleOutcome } from './kept/keep-stale.ts';
import type { QueueState } from './queue-state.ts';
import { completePage, openSearches } from './search-people.ts';
import { wantLookups } from './want-calls.ts';

/** A call of the run and the answer that completes it, from the client or from the cache. */
export interface CompletedCall extends CallCompletion {
  readonly answer: KnownAnswer;
  readonly call: CallRequest;
  /** Of a page with people. It is parsed when its turn comes: a page may hold many. */
  readonly body?: Buffer | undefined;
}

/** Completes calls by answers that the ledger holds, and the rows and searches that wait for them. */
export function completeCalls(state: QueueState, calls: readonly CompletedCall[]): void {
  const { ledger, run, counts } = state;
  ledger.calls.complete(run.id, calls);
  counts.calls.open -= calls.length;
  for (const { source, answer } of calls) {
    counts.calls[source] += 1;
    if (answer.outcome === 'failed') counts.calls.failed += 1;
  }
  completeRows(
    state,
    calls.filter(({ searchId }) => searchId === null),
  );
  for (const call of calls) if (call.searchId !== null) completePage(state, call);
}

/** Rows are read this many at a time, so that memory stays flat. */
const rowsInBatch = 1_000;

/** Gives waiting rows what the answers mean for them: a company, the next candidate or the end. */
function completeRows(state: QueueState, lookups: readonly CompletedCall[]): void {
  const { ledger, run, terms, counts } = state;
  const answered = new Map(lookups.map((lookup) => [lookup.callId, lookup]));
  let callIds: readonly number[] = [...answered.keys()];
  while (callIds.length > 0) {
    const rows = ledger.outcomes.waiting(run.id, callIds, rowsInBatch);
    ledger.outcomes.leave(run.id, rows);
    const ended: NewOutcome[] = [];
    const moving: (NextCandidate & { readonly rowId: number })[] = [];
    for (const row of rows) {
      const { answer, source } = answered.get(row.callId) as CompletedCall;
      const verdict = verdictFor(answer, source, terms.onMismatch);
      const [later] = verdict.next === 'candidate' ? laterCandidates(row) : [];
      if (later) {
        moving.push({ rowId: row.rowId, ...later });
        continue;
      }
      const stale = verdict.status === 'failed' ? staleOutcome(ledger, run, terms, row) : undefined;
      const outcome = stale ?? outcomeOf(row, answer, verdict);
      ended.push(outcome);
      counts.rows[outcome.status] += 1;
      counts.stale += outcome.isStale;
    }
    ledger.outcomes.put(run.id, ended);
    counts.rows.open -= ended.length;
    const known = moving.length > 0 ? moveRows(state, moving, answered) : [];
    callIds = rows.length === rowsInBatch ? [...answered.keys()] : known;
  }
  for (const { answer, source, call } of answered.values()) {
    if (call.operation !== 'company' || !answer.companyId) continue;
    const { next } = verdictFor(answer, source, terms.onMismatch);
    if (next === 'people') openSearches(state, answer.companyId, call.country);
  }
}

/**
 * Lets rows wait for their next candidates. A call that is complete brings no answer any more: those among
 * their calls are added to the answered ones, and their ids are given.
 */
function moveRows(
  state: QueueState,
  moving: readonly (NextCandidate & { readonly rowId: number })[],
  answered: Map<number, CompletedCall>,
): number[] {
  const { ledger, run } = state;
  const callIds = wantLookups(
    state,
    moving.map(({ call }) => call),
  );
  ledger.outcomes.wait(
    run.id,
    moving.map(({ rowId, place }, index) => ({ rowId, place, callId: callIds[index] ?? 0 })),
  );
  const calls = new Map(moving.map(({ call }, index) => [callIds[index] ?? 0, call]));
  for (const [callId, call] of calls) {
    const completion = answered.has(callId) ? undefined : ledger.calls.completion(run.id, callId);
    if (completion) answered.set(callId, { ...completion, callId, call, searchId: null, page: 0 });
  }
  return [...calls.keys()].filter((callId) => answered.has(callId));
}
