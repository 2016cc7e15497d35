import type { CompanyCall } from '../contract/call.ts';
import type { NewOutcome } from '../ledger/rows/outcomes.ts';
import type { StandingOutcomes } from './kept/standing-outcomes.ts';
import type { QueueState } from './queue-state.ts';
import type { IdentifiedRow } from './run-queue.ts';
import { wantLookups } from './want-calls.ts';

/** What is read of earlier runs for so many rows at once takes little memory. */
const rowsAtOnce = 500;

/** Puts rows on the list of the run, which keeps them in one block. */
export function addRows(
  state: QueueState,
  standing: StandingOutcomes,
  rows: readonly IdentifiedRow[],
): void {
  const { ledger, run } = state;
  const [first] = rows;
  if (!first) return;
  const rowIds: number[] = [];
  for (let at = 0; at < rows.length; at += rowsAtOnce) {
    rowIds.push(...addSome(state, standing, rows.slice(at, at + rowsAtOnce)));
  }
  ledger.lists.addBlock(run.listId, { firstNumber: first.number, rowIds });
}

/**
 * A row whose outcome in the last run still stands costs no more than that; a rejected row ends at once; the
 * others wait for the calls of their first candidates. Gives the ids of the rows.
 */
function addSome(
  state: QueueState,
  standing: StandingOutcomes,
  rows: readonly IdentifiedRow[],
): number[] {
  const { ledger, run, terms, counts } = state;
  const rowIds = ledger.rows.idsOf(terms.job, rows);
  const kept = standing.keep(rows, rowIds);
  const asking: number[] = [];
  const calls: CompanyCall[] = [];
  const rejected: NewOutcome[] = [];
  for (const [index, row] of rows.entries()) {
    const rowId = rowIds[index] ?? 0;
    if (kept.has(rowId)) continue;
    if (row.reject) rejected.push({ ...noAnswer, rowId, ...row.reject });
    else {
      asking.push(rowId);
      calls.push(firstCall(row));
    }
  }
  const callIds = wantLookups(state, calls);
  ledger.outcomes.wait(
    run.id,
    asking.map((rowId, index) => ({ rowId, callId: callIds[index] ?? 0, place: 0 })),
  );
  ledger.outcomes.put(run.id, rejected);
  counts.rows.open += asking.length;
  counts.rows.invalid += rejected.length;
  return rowIds;
}

const noAnswer = {
  status: 'invalid',
  match: null,
  answerId: null,
  callId: null,
  place: null,
  isStale: 0,
} as const;

function firstCall({ number, candidates, country }: IdentifiedRow): CompanyCall {
  const [candidate] = candidates;
  if (!candidate || !country)
    throw new Error(`row ${number} is neither rejected nor asks anything`);
  const [kind, value] = candidate;
  return { operation: 'company', identifier: { kind, value }, country };
}
