import { DossierError } from '../../errors.ts';
import { type Ledger, openLedgerToRead } from '../../ledger/open-ledger.ts';
import { isPublished, type Run, runName } from '../../ledger/runs/runs.ts';

type Cells = readonly (string | null)[];

/** A row of a list, as the last run of its job has read and mended it. */
export interface ListedRow {
  readonly cells: Cells;
  /** It has a company, so that there is nothing to mend. */
  readonly isMatched: boolean;
}

/** The list of a job as its last run has read it. */
export interface ListedRows {
  /** `r7`, or `r7 or r6` where it was looked for in both. */
  readonly run: string;
  readonly columns: readonly string[];
  /** The first rows of the list, to see what the columns hold. */
  readonly sample: readonly Cells[];
  /** Rows by their keys. */
  readonly rows: ReadonlyMap<string, ListedRow>;
}

const sampleRows = 200;
const rowsInBatch = 1_000;

/**
 * Finds rows by their keys in the newest run that has read the whole list of a job. Where that one is held, its
 * list may be cut: rows that it lacks are those of the last published run.
 */
export function findListedRows(
  { job, ledgerPath }: { readonly job: string; readonly ledgerPath: string },
  keys: ReadonlySet<string>,
): ListedRows {
  using ledger = openLedgerToRead(ledgerPath);
  const [run, published] = runsToRead(ledger?.runs.list(job) ?? []);
  if (!ledger || !run) throw new DossierError('RUN_MISSING', `${job} has not run`);
  const { rows, sample } = readRows(ledger, run, keys);
  const read = { run: runName(run), columns: run.columns, sample, rows };
  const missing = new Set([...keys].filter((key) => !rows.has(key)));
  if (!published || missing.size === 0) return read;
  const earlier = readRows(ledger, published, missing);
  const names = `${runName(run)} or ${runName(published)}`;
  return { ...read, run: names, rows: new Map([...rows, ...earlier.rows]) };
}

function readRows(
  ledger: Pick<Ledger, 'lists' | 'rows' | 'outcomes'>,
  run: Run,
  keys: ReadonlySet<string>,
): { readonly sample: Cells[]; readonly rows: Map<string, ListedRow> } {
  const sample: Cells[] = [];
  const rows = new Map<string, ListedRow>();
  for (const block of ledger.lists.blocks(run.listId)) {
    // Keys are unique in a list: what is found need not be looked for to its end.
    if (rows.size === keys.size && sample.length === sampleRows) break;
    for (let at = 0; at < block.rowIds.length; at += rowsInBatch) {
      const rowIds = block.rowIds.slice(at, at + rowsInBatch);
      const found = ledger.rows.read(rowIds);
      sample.push(...found.slice(0, sampleRows - sample.length).map(({ cells }) => cells));
      const wanted = found.filter(({ key }) => keys.has(key));
      if (wanted.length === 0) continue;
      const outcomes = ledger.outcomes.upTo(
        run.id,
        wanted.map(({ id }) => id),
      );
      const matched = new Set(
        outcomes.filter(({ status }) => status === 'matched').map(({ rowId }) => rowId),
      );
      for (const { id, key, cells } of wanted) rows.set(key, { cells, isMatched: matched.has(id) });
    }
  }
  return { sample, rows };
}

/** A try of the first rows is looked at only where the whole list was never read. */
function runsToRead(runs: readonly Run[]): [newest: Run | undefined, published: Run | undefined] {
  const read = runs.filter(({ state, prunedAt }) => state !== 'ingesting' && prunedAt === null);
  const newest = read.find(({ rowLimit }) => rowLimit === null) ?? read[0];
  if (!newest?.held) return [newest, undefined];
  const published = read.find(isPublished);
  const isAlike = JSON.stringify(published?.columns) === JSON.stringify(newest.columns);
  return [newest, isAlike ? published : undefined];
}

/** The columns that made the keys in the last run of a job; undefined where none has run. */
export function keyOfLastRun(
  ledgerPath: string,
  run: Pick<Run, 'job' | 'inputPath'>,
): Run['keyColumns'] | undefined {
  using ledger = openLedgerToRead(ledgerPath);
  return ledger?.runs.newestKeyed(run)?.keyColumns;
}
