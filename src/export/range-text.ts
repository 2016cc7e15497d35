import type { RowRecord } from '../ledger/run-records.ts';
import type { Column, FlatRecord } from './columns.ts';
import type { Format, RowCounts } from './manifest.ts';
import { nameEveryColumn, rejectRecordColumns } from './reject-record.ts';
import { rowRecordColumns } from './row-record.ts';
import type { RunTallying } from './run-tally.ts';
import { noRows, showRow } from './show-row.ts';
import { type CsvOptions, csvLines } from './write-csv.ts';
import { jsonlLines } from './write-jsonl.ts';

/** Some rows of a run as the bytes of both tables, one for each format. */
export interface RangeText {
  readonly companies: readonly Uint8Array[];
  readonly rejects: readonly Uint8Array[];
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

/** Makes the text of rows, as the writers would. */
export function openRangeFormatter(
  headers: readonly string[],
  options: TextOptions,
  tally: RunTallying,
): (rows: Iterable<RowRecord>) => RangeText {
  const companyLines = linesOf(rowRecordColumns(headers), options);
  const rejectLines = linesOf(rejectRecordColumns(headers), options);
  return (rows) => {
    const counts = noRows();
    const companies = companyLines.map(() => '');
    const rejects = rejectLines.map(() => '');
    let rejectedRows = 0;
    for (const row of rows) {
      const { record, reject } = showRow(row, headers.length, counts, tally);
      for (const [index, toLine] of companyLines.entries()) companies[index] += toLine(record);
      if (!reject) continue;
      rejectedRows += 1;
      for (const [index, toLine] of rejectLines.entries()) rejects[index] += toLine(reject);
    }
    const toBytes = (text: string) => new TextEncoder().encode(text);
    return {
      companies: companies.map(toBytes),
      rejects: rejects.map(toBytes),
      rejectedRows,
      counts,
    };
  };
}

type ToLine = (record: FlatRecord) => string;

function linesOf(columns: readonly Column[], { formats, ...csv }: TextOptions): ToLine[] {
  return formats.map((format) =>
    format === 'csv' ? csvLines(columns, csv).toLine : jsonlLines(nameEveryColumn(columns)).toLine,
  );
}
