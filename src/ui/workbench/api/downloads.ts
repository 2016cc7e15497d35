import { z } from 'zod';
import { RowsQuery } from './rows.ts';

/*
 *   POST api/downloads?job&run → Download: writes the file, which takes its time
 *   GET  api/download?id       → the file itself, once
 */

export type DownloadFormat = DownloadQuery['format'];

/** Rows and columns that are wanted, as the table shows them or all. */
export const DownloadQuery = RowsQuery.pick({
  ...{ table: true, search: true, facets: true, sort: true, descending: true },
}).extend({
  format: z.enum(['xlsx', 'csv', 'jsonl', 'parquet']),
  /** Names of columns; the list's own come first, under their own headers. */
  columns: z.array(z.string()).readonly(),
  /** Between the columns of CSV. */
  delimiter: z.enum([',', ';', '\t']).default(','),
  /** CSV that a spreadsheet opens as it is: with a byte order mark, and no cell that it would run. */
  isForSpreadsheet: z.boolean().default(false),
});
export type DownloadQuery = z.output<typeof DownloadQuery>;

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
