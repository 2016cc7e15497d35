import type { Ledger } from '../../ledger/open-ledger.ts';
import type { Run } from '../../ledger/runs/runs.ts';
import type { QueueTerms } from '../queue-state.ts';
import type { IdentifiedRow } from '../run-queue.ts';

/** A row has changed on the disk, so that the list has to be read after all. */
export class RowsChangedError extends Error {
  override readonly name = 'RowsChangedError';
}

/** As many as are stored in one transaction. */
const rowsInBatch = 5_000;
/** The ledger holds no more of a job. */
const startsKept = 200;

/**
 * The last run of a job, where it has finished and would identify the rows of its list as the next one does: the
 * same job, by the same version of Dossier.
 */
export function findFinished(
  { runs, starts }: Pick<Ledger, 'runs' | 'starts'>,
  { job }: Pick<QueueTerms, 'job'>,
  jobFingerprint: string,
  version: string | undefined,
): Run | undefined {
  const run = runs.newest(job);
  if (run?.state !== 'finished' || run.prunedAt !== null) return undefined;
  if (run.jobFingerprint !== jobFingerprint) return undefined;
  const ofRun = starts.list(job, startsKept).filter(({ runId }) => runId === run.id);
  return ofRun.length > 0 && ofRun.every((start) => start.version === version) ? run : undefined;
}

/** The rows of a run as they were identified, in their order, for a run over the same list. */
export function* rowsAgain(
  { lists, rows }: Pick<Ledger, 'lists' | 'rows'>,
  { id, listId }: Pick<Run, 'id' | 'listId'>,
): Generator<IdentifiedRow[]> {
  for (const { firstNumber, rowIds } of lists.blocks(listId)) {
    for (let at = 0; at < rowIds.length; at += rowsInBatch) {
      const wanted = rowIds.slice(at, at + rowsInBatch);
      const found = new Map(rows.readWhole(id, wanted).map((row) => [row.id, row]));
      yield wanted.map((rowId, index) => {
        const row = found.get(rowId);
        if (!row) throw new RowsChangedError(`row ${rowId} has changed on the disk`);
        const { id: _, ...read } = row;
        return { ...read, number: firstNumber + at + index };
      });
    }
  }
}
