import { DossierError } from '../../errors.ts';
import { type Ledger, openLedgerToRead } from '../../ledger/open-ledger.ts';
import { isPublished, type Run, runName } from '../../ledger/runs/runs.ts';

const sampleRows = 200;
const rowsInBatch = 1_000;

/**
 * Finds rows by their keys in the newest run that has read the whole list of a job, as that run has read and mended
 * them. Where that one is held, its list may be cut: rows that it lacks are those of the last published run.
 */
export function findListedRows(job: string, ledgerPath: string, keys: ReadonlySet<string>) {
  using ledger = openLedgerToRead(ledgerPath);
  const read = (ledger?.runs.list(job) ?? []).filter(
    ({ state, prunedAt }) => state !== 'ingesting' && prunedAt === null,
  );
  // A try of the first rows is looked at only where the whole list was never read.
  const newest = read.find(({ rowLimit }) => rowLimit === null) ?? read[0];
  if (!ledger || !newest) throw new DossierError('RUN_MISSING', `${job} has not run`);
  const { columns } = newest;
  const { rows, sample } = readRows(ledger, newest, keys);
  const published = newest.held && rows.size < keys.size ? read.find(isPublished) : undefined;
  if (!published || JSON.stringify(published.columns) !== JSON.stringify(columns)) {
    return { run: runName(newest), columns, sample, rows };
  }
  const earlier = readRows(ledger, published, keys).rows;
  const run = `${runName(newest)} or ${runName(published)}`;
  return { run, columns, sample, rows: new Map([...earlier, ...rows]) };
}

function readRows(ledger: Ledger, run: Run, keys: ReadonlySet<string>) {
  type Cells = (string | undefined)[];
  /** The first rows, to see what the columns hold. */
  const sample: Cells[] = [];
  /** A row that has a company has nothing to mend. */
  const rows = new Map<string, { cells: Cells; isMatched: boolean }>();
  for (const block of ledger.lists.blocks(run.listId)) {
    // Keys are unique in a list: what is found need not be looked for to its end.
    if (rows.size === keys.size && sample.length === sampleRows) break;
    for (let at = 0; at < block.rowIds.length; at += rowsInBatch) {
      const found = ledger.rows.read(block.rowIds.slice(at, at + rowsInBatch));
      sample.push(...found.slice(0, sampleRows - sample.length).map(({ cells }) => cells));
      const wanted = found.filter(({ key }) => keys.has(key));
      const ids = wanted.map(({ id }) => id);
      const outcomes = ids.length === 0 ? [] : ledger.outcomes.upTo(run.id, ids);
      for (const { id, key, cells } of wanted) {
        const isMatched = outcomes.some(
          ({ rowId, status }) => rowId === id && status === 'matched',
        );
        rows.set(key, { cells, isMatched });
      }
    }
  }
  return { sample, rows };
}
