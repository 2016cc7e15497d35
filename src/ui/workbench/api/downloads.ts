import type { RowsQuery } from './rows.ts';

/*
 *   POST api/downloads?job&run → Download: writes the file, which takes its time
 *   GET  api/download?id       → the file itself, once
 */

export type DownloadFormat = 'xlsx' | 'csv' | 'jsonl' | 'parquet';

/** Rows and columns that are wanted, as the table shows them or all. */
export interface DownloadQuery
  extends Pick<RowsQuery, 'table' | 'search' | 'facets' | 'sort' | 'descending'> {
  readonly format: DownloadFormat;
  /** Names of columns; the list's own come first, under their own headers. */
  readonly columns: readonly string[];
  /** What stands between the columns of CSV; a comma unless told. */
  readonly delimiter?: ',' | ';' | '\t';
  /** CSV that a spreadsheet opens as it is: with a byte order mark, and no cell that it would run. */
  readonly isForSpreadsheet?: boolean;
}

/** A file that waits to be fetched. */
export interface Download {
  readonly id: string;
  readonly name: string;
  /** Of the list, or people. */
  readonly rows: number;
  readonly bytes: number;
  /** Of a workbook: companies, people where they were searched, rejects. Other files have companies alone. */
  readonly sheets?: readonly { readonly name: string; readonly rows: number }[];
}
