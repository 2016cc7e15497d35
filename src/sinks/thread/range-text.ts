import type { RowRecord } from '../../ledger/run-records.ts';
import type { Column, FlatRecord } from '../../records/columns/columns.ts';
import { nameEveryColumn, rejectRecordColumns } from '../../records/reject-record.ts';
import { rowRecordColumns } from '../../records/row-record.ts';
import { type LineBytes, openLineBytes } from '../lines/line-bytes.ts';
import { type CsvOptions, csvLines } from '../lines/write-csv.ts';
import { jsonlLines } from '../lines/write-jsonl.ts';
import type { Format, RowCounts } from '../manifest.ts';
import { noRows, showRow } from '../show-row.ts';
import type { RunTallying } from '../tally/run-tally.ts';

/** Some rows of a run as the bytes of both tables, one for each format. */
export interface RangeText {
  readonly companies: readonly Uint8Array<ArrayBuffer>[];
  readonly rejects: readonly Uint8Array<ArrayBuffer>[];
  readonly rejectedRows: number;
  readonly counts: RowCounts;
}

export interface TextOptions extends CsvOptions {
  readonly formats: readonly Format[];
}

/** Formats whose files are one line after the other, so that their parts can be made apart. */
export function areLines(formats: readonly Format[]): boolean {
  return !formats.includes('parquet');
}

/** Mostly enough for the rows of a range. */
const usualBytes = 512 * 1024;
const usualRejectBytes = 16 * 1024;

/** Makes the text of rows, as the writers would. */
type FormatRange = (rows: Iterable<RowRecord>) => RangeText;

export function openRangeFormatter(
  headers: readonly string[],
  options: TextOptions,
  tally: RunTallying,
): FormatRange {
  const companies = linesOf(rowRecordColumns(headers), options, usualBytes);
  const rejects = linesOf(rejectRecordColumns(headers), options, usualRejectBytes);
  return (rows) => {
    const counts = noRows();
    let rejectedRows = 0;
    for (const row of rows) {
      const { record, reject } = showRow(row, headers.length, counts, tally);
      for (const lines of companies) lines.add(record);
      if (!reject) continue;
      rejectedRows += 1;
      for (const lines of rejects) lines.add(reject);
    }
    return {
      companies: companies.map(({ take }) => take()),
      rejects: rejects.map(({ take }) => take()),
      rejectedRows,
      counts,
    };
  };
}

interface Lines extends Pick<LineBytes, 'take'> {
  add(record: FlatRecord): void;
}

function linesOf(
  columns: readonly Column[],
  { formats, ...csv }: TextOptions,
  bytesOfRange: number,
): Lines[] {
  return formats.map((format) => {
    const { toLine } =
      format === 'csv' ? csvLines(columns, csv) : jsonlLines(nameEveryColumn(columns));
    const { add, take } = openLineBytes(bytesOfRange);
    return { add: (record) => add(toLine(record)), take };
  });
}
