import type { Database } from 'better-sqlite3';
import type { Counts } from '../../rules/outcomes.ts';

/** What the files of an unfinished run show: a row that keeps an older answer is no longer open there. */
type WrittenCounts = Pick<Counts, 'rows' | 'stale' | 'people'>;

/** Where a run stands, for its viewers and for resuming it. Nothing here reads all of its rows. */
export function progressIn(db: Database) {
  type OfRun = { runId: number };
  const put = db.prepare(`
    insert or replace into progress (run_id, counts, fresh_until)
    values (:runId, :counts, :freshUntil)`);
  const putWritten = db.prepare(`
    update progress set counts = json_set(counts, '$.written', json(:written))
    where run_id = :runId`);
  const select = db.prepare<OfRun, { counts: string; freshUntil: number | null }>(
    `select counts, fresh_until as freshUntil from progress where run_id = :runId`,
  );
  const rowsRead = db
    .prepare<OfRun, number>(`
      select max(first_number + row_count) - 1 from list_block
      where list_id = (select list_id from run where id = :runId)`)
    .pluck();
  let last: { runId: number; counts: string; freshUntil: number | null } | undefined;
  const read = (runId: number) => {
    const note = select.get({ runId });
    return note && (JSON.parse(note.counts) as Counts & { readonly written?: WrittenCounts });
  };
  return {
    /** Called in the transaction that changes the counts, so that they are exact after a crash. */
    put(runId: number, counts: Counts, freshUntil = Number.POSITIVE_INFINITY) {
      const note = {
        runId,
        counts: JSON.stringify(counts),
        freshUntil: Number.isFinite(freshUntil) ? Math.floor(freshUntil) : null,
      };
      // A run that only waits writes nothing.
      if (
        last?.runId === runId &&
        last.counts === note.counts &&
        last.freshUntil === note.freshUntil
      )
        return;
      last = note;
      put.run(note);
    },
    of(runId: number): Counts | undefined {
      const note = read(runId);
      if (!note) return undefined;
      const { written: _, ...counts } = note;
      return counts;
    },
    /** The files of an unfinished run are written. Holds until its counts change. */
    putWritten: (runId: number, { rows, stale, people }: WrittenCounts) =>
      void putWritten.run({ runId, written: JSON.stringify({ rows, stale, people }) }),
    written: (runId: number) => read(runId)?.written,
    /** When the first answer expires that the run has taken over from earlier ones. */
    freshUntil: (runId: number) => select.get({ runId })?.freshUntil ?? Number.POSITIVE_INFINITY,
    /** How much of the list is read in. */
    rowsRead: (runId: number) => rowsRead.get({ runId }) ?? 0,
  };
}

/** The counts of a run that has read nothing yet. */
export const noCounts: Counts = {
  rows: { open: 0, matched: 0, not_found: 0, invalid: 0, failed: 0 },
  calls: { open: 0, called: 0, reused: 0, joined: 0, failed: 0, shared: 0 },
  stale: 0,
  people: 0,
  failedSearches: 0,
  incompleteSearches: 0,
};
