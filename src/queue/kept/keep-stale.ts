import { keyedCall } from '../../ledger/calls/call-key.ts';
import type { Ledger } from '../../ledger/open-ledger.ts';
import type { StaleOutcome, WaitingPlace } from '../../ledger/rows/outcomes.ts';
import { laterCandidates, type WaitingRow } from '../../rules/next-candidate.ts';
import { verdictFor } from '../../rules/row-verdict.ts';
import type { QueuedRun, QueueTerms } from '../queue-state.ts';

export type StaleTerms = Pick<QueueTerms, 'serviceUrl' | 'reuse' | 'onMismatch'>;
type StaleRun = Pick<QueuedRun, 'id' | 'lastStartedAt'>;

const rowsInBatch = 1_000;

/**
 * Gives the rows of an unfinished run that are open the answers they had, as stale ones: an export shows
 * them, and the rows go on to wait. Runs inside a transaction.
 */
export function keepStaleOutcomes(ledger: Ledger, run: StaleRun, terms: StaleTerms): void {
  let after: WaitingPlace | undefined = { callId: 0, rowId: 0 };
  while (after) {
    const rows: WaitingRow[] = ledger.outcomes.allWaiting(run.id, after, rowsInBatch);
    ledger.outcomes.keepStale(run.id, staleOutcomes(ledger, run, terms, rows));
    after = rows.at(-1);
  }
}

/** The stale outcomes of rows that wait, where the ledger has answers that are young enough. */
export function staleOutcomes(
  ledger: Ledger,
  run: StaleRun,
  terms: StaleTerms,
  rows: readonly WaitingRow[],
): StaleOutcome[] {
  if (terms.reuse.staleOnFailureMs === 0) return [];
  return rows.flatMap((row) => staleOutcome(ledger, run, terms, row) ?? []);
}

/** Goes on from the candidate that the row waits for, as far as the ledger knows what comes. */
function staleOutcome(
  ledger: Ledger,
  { lastStartedAt }: StaleRun,
  { serviceUrl, reuse, onMismatch }: StaleTerms,
  row: WaitingRow,
): StaleOutcome | undefined {
  const { rowId, candidates } = row;
  const since = lastStartedAt - reuse.staleOnFailureMs;
  let callId: number | undefined = row.callId;
  for (const { place, call } of laterCandidates({ ...row, place: row.place - 1 })) {
    if (place > row.place) callId = ledger.calls.find(keyedCall(serviceUrl, call).key);
    const answer = callId === undefined ? undefined : ledger.calls.newestAnswer(callId);
    if (callId === undefined || !answer || answer.fetchedAt < since) return undefined;
    const source = answer.callId === callId ? 'reused' : 'joined';
    const { next, ...end } = verdictFor(answer, source, onMismatch);
    if (end.status === 'failed') return undefined;
    if (next === 'candidate' && place + 1 < candidates.length) continue;
    return { rowId, answerId: answer.id, callId, place, ...end };
  }
  return undefined;
}
