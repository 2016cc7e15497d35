import { availableParallelism } from 'node:os';
import type { RowRange, RunRecords } from '../ledger/run-records.ts';
import type { RowCounts } from './manifest.ts';
import { openRowThread } from './open-row-thread.ts';
import { areLines, openRangeFormatter, type RangeText, type TextOptions } from './range-text.ts';
import type { RowThreadData } from './row-thread.ts';
import type { RunTallying } from './run-tally.ts';
import { addCounts, noRows, showRow } from './show-row.ts';
import type { TableFiles } from './table-files.ts';

export interface RowTables {
  readonly companies: TableFiles;
  readonly rejects: TableFiles;
}

/** What a thread needs to read the same rows from the ledger itself. */
export interface ThreadedRows extends Omit<RowThreadData, 'options'> {
  readonly rowCount: number;
  readonly onDamage: (answerId: number) => void;
}

/** Below this the thread would hardly have started when the work is done. */
const leastRows = 4_000;
const rowsInRange = 50;

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

/** Every second range is made by the thread, the others here; they are written in their order. */
async function writeRanges(
  records: RunRecords,
  tables: RowTables,
  tally: RunTallying,
  { formats, excelSafe, bom }: TextOptions,
  { onDamage, rowCount, ledger, run }: ThreadedRows,
): Promise<RowCounts> {
  const options = { formats, excelSafe, bom };
  await using thread = openRowThread({ ledger, run, options }, onDamage);
  const format = openRangeFormatter(records.inputColumns, options, tally);
  const rangeAt = (index: number): RowRange => ({
    after: index * rowsInRange,
    upTo: (index + 1) * rowsInRange,
  });
  const rangeCount = Math.ceil(rowCount / rowsInRange);
  const asked = new Map<number, Promise<RangeText>>();
  const ask = (index: number) => {
    if (index < rangeCount) asked.set(index, thread.textOf(rangeAt(index)));
  };
  // One range ahead, so that the thread never waits for us.
  ask(0);
  ask(2);

  const counts = noRows();
  for (let index = 0; index < rangeCount; index += 1) {
    const theirs = asked.get(index);
    const text = theirs ? await theirs : format(records.rows(rangeAt(index)));
    if (theirs !== undefined) {
      asked.delete(index);
      ask(index + 4);
    }
    addCounts(counts, text.counts);
    await tables.companies.append(text.companies, text.counts.rows);
    if (text.rejectedRows > 0) await tables.rejects.append(text.rejects, text.rejectedRows);
  }
  tally.merge(await thread.tally());
  return counts;
}
