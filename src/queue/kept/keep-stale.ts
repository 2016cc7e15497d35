import type { KnownAnswer } from '../../ledger/calls/answers.ts';
import { keyedCall } from '../../ledger/calls/call-key.ts';
import type { Ledger } from '../../ledger/open-ledger.ts';
import type { NewOutcome, WaitingPlace } from '../../ledger/rows/outcomes.ts';
import { laterCandidates, type WaitingRow } from '../../rules/next-candidate.ts';
import { type RowEnd, verdictFor } from '../../rules/row-verdict.ts';
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
    const stale = rows.flatMap((row) => staleOutcome(ledger, run, terms, row) ?? []);
    ledger.outcomes.put(run.id, stale);
    after = rows.at(-1);
  }
}

/**
 * The outcome of a row by the answers that it had, where they are young enough. Goes on from the candidate that the
 * row waits for, as far as the ledger knows what comes.
 */
export function staleOutcome(
  ledger: Ledger,
  { lastStartedAt }: StaleRun,
  { serviceUrl, reuse, onMismatch }: StaleTerms,
  row: WaitingRow,
): NewOutcome | undefined {
  if (reuse.staleOnFailureMs === 0) return undefined;
  const since = lastStartedAt - reuse.staleOnFailureMs;
  let callId: number | undefined = row.callId;
  for (const { place, call } of laterCandidates({ ...row, place: row.place - 1 })) {
    if (place > row.place) callId = ledger.calls.find(keyedCall(serviceUrl, call).key);
    const answer = callId === undefined ? undefined : ledger.calls.newestAnswer(callId);
    if (callId === undefined || !answer || answer.fetchedAt < since) return undefined;
    const source = answer.callId === callId ? 'reused' : 'joined';
    const verdict = verdictFor(answer, source, onMismatch);
    if (verdict.status === 'failed') return undefined;
    if (verdict.next === 'candidate' && place + 1 < row.candidates.length) continue;
    return outcomeOf({ rowId: row.rowId, callId, place }, answer, verdict, 1);
  }
  return undefined;
}

/** What a row comes to by an answer. */
export function outcomeOf(
  { rowId, callId, place }: Pick<WaitingRow, 'rowId' | 'callId' | 'place'>,
  answer: KnownAnswer,
  { status, reason, message, match }: RowEnd,
  isStale: 0 | 1 = 0,
): NewOutcome {
  return {
    rowId,
    callId,
    place,
    status,
    reason,
    message: message ?? answer.message,
    match: match ?? answer.match,
    answerId: answer.id,
    isStale,
  };
}
