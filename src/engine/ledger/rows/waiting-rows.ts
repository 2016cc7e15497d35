import type { RowCandidate, WaitingRow } from '../../../core/rules/next-candidate.ts';
import type { Statements } from '../statements.ts';

/** Outcomes are stored in batches, because a call may have any number of rows. */
export const outcomesAtOnce = 1_000;

type WaitingKey = Pick<WaitingRow, 'callId' | 'rowId'>;

type Waiting = WaitingKey & Pick<WaitingRow, 'candidateIndex'>;

interface OfCall {
  /** Null for a call that is older than services. */
  readonly serviceId: number | null;
  /** The row waits for the next service, and not for this call. */
  readonly hasMissed: 0 | 1;
}

type MissedAt = { readonly runId: number; readonly serviceId: number };

interface StoredWaiting extends Omit<WaitingRow, 'candidates'> {
  readonly candidates: string;
}

/** Rows of a run that wait for a call, or for the next service after a miss. */
export function waitingRowsIn({ value, all, inPortions }: Statements) {
  const wait = inPortions(
    '(?, ?, ?, ?)',
    (rows) => `
      insert into waiting (run_id, call_id, row_id, candidate_or_page) values ${rows}
      on conflict do nothing`,
  );
  const waitAgain = inPortions(
    '(?, ?, ?, ?, 1)',
    (rows) => `
      insert or replace into waiting (run_id, call_id, row_id, candidate_or_page, has_missed)
      values ${rows}`,
  );
  const leave = inPortions(
    '(?, ?, ?)',
    (rows) => `delete from waiting where (run_id, call_id, row_id) in (values ${rows})`,
  );
  const waitingRow = `select
    w.row_id as rowId, w.call_id as callId, r.country, r.candidates,
    w.candidate_or_page as candidateIndex`;
  const waiting = all<StoredWaiting>(`
    ${waitingRow} from json_each(?) i
    cross join waiting w on w.run_id = ? and w.call_id = i.value and w.has_missed = 0
    cross join row r on r.id = w.row_id limit ?`);
  const service = `(select service_id from call where id = w.call_id)`;
  const waitingAfterMiss = all<StoredWaiting, [MissedAt]>(`
    ${waitingRow} from waiting w cross join row r on r.id = w.row_id
    where w.run_id = :runId and w.has_missed = 1 and ${service} = :serviceId
    limit ${outcomesAtOnce}`);
  const allWaiting = all<StoredWaiting & OfCall>(`
    ${waitingRow}, w.has_missed as hasMissed, ${service} as serviceId from waiting w cross join row r on r.id = w.row_id
    where w.run_id = :runId and (w.call_id, w.row_id) > (:callId, :rowId)
    order by w.call_id, w.row_id limit ${outcomesAtOnce}`);
  const asWaiting = <Row extends StoredWaiting>(row: Row) => ({
    ...row,
    candidates: JSON.parse(row.candidates) as RowCandidate[],
  });
  const valuesOf = (runId: number, rows: readonly Waiting[]) =>
    rows.map(({ callId, rowId, candidateIndex }) => [runId, callId, rowId, candidateIndex]);
  return {
    wait: (runId: number, rows: readonly Waiting[]) => wait(valuesOf(runId, rows)),
    /** These rows wait with a call that missed. */
    waitAfterMiss: (runId: number, rows: readonly Waiting[]) => waitAgain(valuesOf(runId, rows)),
    countAfterMiss: value<number, [MissedAt]>(`
      select count(*) from waiting w
      where w.run_id = :runId and w.has_missed = 1 and ${service} = :serviceId`),
    waitingAfterMiss: (at: MissedAt): readonly WaitingRow[] => waitingAfterMiss(at).map(asWaiting),
    leave: (runId: number, rows: readonly WaitingKey[]) =>
      leave(rows.map(({ callId, rowId }) => [runId, callId, rowId])),
    waiting: (runId: number, callIds: readonly number[], limit: number) =>
      waiting(JSON.stringify(callIds), runId, limit).map(asWaiting),
    *allWaiting(runId: number): Generator<(WaitingRow & OfCall)[]> {
      let after: WaitingKey | undefined = { callId: 0, rowId: 0 };
      while (after) {
        const { callId, rowId }: WaitingKey = after;
        const rows = allWaiting({ runId, callId, rowId }).map(asWaiting);
        yield rows;
        after = rows.at(-1);
      }
    },
  };
}
