import { availableParallelism } from 'node:os';
import type { RunRecords } from '../ledger/run-records.ts';
import { giveBack } from '../runtime/give-back.ts';
import type { SideThread } from '../runtime/side-thread.ts';
import type { TableFiles } from './files/table-files.ts';
import type { RowCounts } from './manifest.ts';
import { addCounts, noRows, showRow } from './show-row.ts';
import type { RunTallying } from './tally/run-tally.ts';
import { openRowThread } from './thread/open-row-thread.ts';
import {
  areLines,
  openRangeFormatter,
  type RangeText,
  type TextOptions,
} from './thread/range-text.ts';
import type { RowThreadData } from './thread/row-thread.ts';
import { shareRanges } from './thread/share-ranges.ts';

export interface RowTables {
  readonly companies: TableFiles;
  readonly rejects: TableFiles;
}

/** What a thread needs to read the same rows from the ledger itself. */
export interface ThreadedRows extends Omit<RowThreadData, 'options'> {
  readonly sideThread: SideThread;
  readonly rowCount: number;
  readonly onDamage: (answerId: number) => void;
}

/** Below this the thread would hardly have started when the work is done. */
const leastRows = 4_000;

/** Writes every row, in the order of the input. */
export async function writeRows(
  records: RunRecords,
  tables: RowTables,
  tally: RunTallying,
  options: TextOptions,
  threaded: ThreadedRows | undefined,
): Promise<RowCounts> {
  const isWorthAThread =
    threaded &&
    threaded.rowCount >= leastRows &&
    areLines(options.formats) &&
    availableParallelism() > 1;
  if (isWorthAThread) return await writeRanges(records, tables, tally, options, threaded);

  const counts = noRows();
  for (const row of records.rows()) {
    const { record, reject } = showRow(row, records.inputColumns.length, counts, tally);
    // Mostly there is nothing to wait for, and a wait for nothing costs a turn for each row.
    const wait = tables.companies.write(record);
    if (wait !== undefined) await wait;
    const rejectWait = reject && tables.rejects.write(reject);
    if (rejectWait !== undefined) await rejectWait;
  }
  return counts;
}

/**
 * Both threads take the next range that nobody has taken, so that neither waits for the other; what
 * they make is written in the order of the rows.
 */
async function writeRanges(
  records: RunRecords,
  tables: RowTables,
  tally: RunTallying,
  { formats, excelSafe, bom }: TextOptions,
  { sideThread, onDamage, rowCount, ledger, run }: ThreadedRows,
): Promise<RowCounts> {
  const options = { formats, excelSafe, bom };
  await using thread = openRowThread(sideThread, { ledger, run, options }, onDamage);
  const format = openRangeFormatter(records.inputColumns, options, tally);
  const ranges = shareRanges(rowCount, thread.textOf);
  const counts = noRows();
  const write = async (text: RangeText) => {
    await tables.companies.append(text.companies, text.counts.rows);
    if (text.rejectedRows > 0) await tables.rejects.append(text.rejects, text.rejectedRows);
    // It has waited for its turn, and counts as old.
    for (const bytes of [...text.companies, ...text.rejects]) giveBack(bytes);
  };
  let writing: Promise<void> | undefined;
  while (!ranges.areAllTaken()) {
    const text = ranges.takeNext();
    if (text === undefined) {
      await ranges.makeOne((range) => format(records.rows(range)));
      continue;
    }
    addCounts(counts, text.counts);
    await writing;
    writing = write(text);
    // It is met before the next text is written, or at the end.
    writing.catch(() => {});
  }
  await writing;
  tally.merge(await thread.tally());
  return counts;
}
