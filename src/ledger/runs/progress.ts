import type { Counts } from '../../rules/outcomes.ts';
import type { Statements } from '../statements.ts';

/** What the files of an unfinished run show: a row that keeps an older answer is no longer open there. */
type WrittenCounts = Pick<Counts, 'rows' | 'stale' | 'people'>;

/** Where a run stands, for its viewers and for resuming it. Nothing here reads all of its rows. */
export function progressIn({ run, get }: Statements) {
  interface Note {
    readonly counts: string;
    readonly freshUntil: number | null;
  }
  const put = run<[Note & { runId: number }]>(`
    insert or replace into progress (run_id, counts, fresh_until)
    values (:runId, :counts, :freshUntil)`);
  const putWritten = run<[written: string, runId: number]>(`
    update progress set counts = json_set(counts, '$.written', json(?)) where run_id = ?`);
  const noteOf = get<[runId: number], Note>(
    `select counts, fresh_until as freshUntil from progress where run_id = ?`,
  );
  let last: string | undefined;
  const read = (runId: number) => {
    const note = noteOf(runId);
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
      const text = `${runId} ${note.counts} ${note.freshUntil}`;
      if (text !== last) put(note);
      last = text;
    },
    of(runId: number): Counts | undefined {
      const note = read(runId);
      if (!note) return undefined;
      const { written: _, ...counts } = note;
      return counts;
    },
    /** The files of an unfinished run are written. Holds until its counts change. */
    putWritten: (runId: number, { rows, stale, people }: WrittenCounts) =>
      void putWritten(JSON.stringify({ rows, stale, people }), runId),
    written: (runId: number) => read(runId)?.written,
    /** When the first answer expires that the run has taken over from earlier ones. */
    freshUntil: (runId: number) => noteOf(runId)?.freshUntil ?? Number.POSITIVE_INFINITY,
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
