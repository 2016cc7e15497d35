import { type Counts, noCounts } from '../../../core/rules/outcomes.ts';
import type { Warning } from '../../../core/rules/warnings.ts';
import type { MadeCalls } from '../calls/completed-calls.ts';
import type { Statements } from '../statements.ts';

/** Counts as in the written files: each person once, and rows with a stale answer are not open. */
type WrittenCounts = Pick<Counts, 'rows' | 'people'> & {
  readonly warnings?: Warning[];
  /** Absent if the run may still make calls, has no price, or is of an older version. */
  readonly made?: readonly MadeCalls[];
};

/** These functions must stay fast, so none of them reads all rows. */
export function progressIn({ change, get }: Statements) {
  const put = change(`
    insert or replace into progress (run_id, counts, fresh_until)
    values (:runId, :counts, :freshUntil)`);
  const putWritten = change(`
    update progress set counts = json_set(counts, '$.written', json(?)) where run_id = ?`);
  const noteOf = get<{ counts: string; freshUntil: number | null }>(
    `select counts, fresh_until as freshUntil from progress where run_id = ?`,
  );
  let last: string | undefined;
  const read = (runId: number) => {
    const note = noteOf(runId);
    return (
      note && (JSON.parse(note.counts) as Partial<Counts> & { readonly written?: WrittenCounts })
    );
  };
  return {
    /** Call in the transaction that changes the counts. */
    put(runId: number, counts: Counts, freshUntil: number) {
      const note = {
        runId,
        counts: JSON.stringify(counts),
        freshUntil: Number.isFinite(freshUntil) ? Math.floor(freshUntil) : null,
      };
      const text = `${runId} ${note.counts} ${note.freshUntil}`;
      if (text !== last) put(note);
      last = text;
    },
    counts(runId: number): Counts {
      // Runs of older versions have no counts by service, unless they had several.
      const { written: _, ...counts } = { ...noCounts(), ...read(runId) };
      return counts;
    },
    putWritten: (runId: number, written: WrittenCounts) =>
      void putWritten(JSON.stringify(written), runId),
    written: (runId: number) => read(runId)?.written,
    freshUntil: (runId: number) => noteOf(runId)?.freshUntil ?? Number.POSITIVE_INFINITY,
  };
}
