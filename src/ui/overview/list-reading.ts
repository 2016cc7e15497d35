/*
 * The beginning of a list as the page shows it. It travels as JSON, so that it holds nothing but plain
 * values; this file is types only, since the page imports it.
 */
export interface ListReading {
  readonly format: 'csv' | 'jsonl' | 'xlsx' | 'parquet';
  /** The sheet that was read, and the others; null for what is no workbook. */
  readonly sheet: { readonly name: string; readonly others: readonly string[] } | null;
  /** The line or row that names the columns; null where none does. */
  readonly headerLine: number | null;
  /** What separates the columns of a CSV file; null for another format. */
  readonly delimiter: string | null;
  /** Null for a workbook and for Parquet. */
  readonly encoding: string | null;
  readonly notes: readonly string[];
  /** Columns that the job names and the list does not have. */
  readonly missing: readonly string[];
  /** The first columns, and every other that is used for something. */
  readonly columns: readonly ColumnReading[];
  /** The number of columns that are not shown. */
  readonly otherColumns: number;
  /** The first rows. */
  readonly rows: readonly RowReading[];
  /** Rows that the counts are of, from the beginning. */
  readonly rowsSeen: number;
  /** These are all rows of the list. */
  readonly isWhole: boolean;
}

export interface ColumnReading {
  readonly name: string;
  readonly role: ColumnRole;
  /** Tells rows apart, whatever else it is. */
  readonly isKey: boolean;
  /** Looks like the key, so that it is taken where the job names none. */
  readonly isKeyFound: boolean;
  readonly filled: number;
  /** Filled cells whose value another row has, too. */
  readonly repeated: number;
  /** Filled cells that are an identifier of any kind. */
  readonly identifiers: number;
  /** For a column that is used: cells that will do. */
  readonly good: number;
  /** For a column that is used: cells that will not, most frequent reason first. */
  readonly rejects: readonly {
    readonly reject: string;
    readonly message: string;
    readonly rows: number;
    readonly examples: readonly string[];
  }[];
}

export type ColumnRole =
  | {
      readonly is: 'identifier';
      /** Counted from 1, in the order of asking. */
      readonly place: number;
      readonly as: string;
    }
  | { readonly is: 'country' }
  | { readonly is: 'nothing' };

export interface RowReading {
  /** Of the row in the list, from 1 without the header: the same in every output. */
  readonly number: number;
  /** The line of the file, or the row of the sheet. */
  readonly line: number;
  /** Of the shown columns; null where the row has no such cell. */
  readonly cells: readonly (string | null)[];
  /** Why the row as a whole cannot be trusted. */
  readonly problem: string | null;
  /** Rejected cells by their place in `cells`. */
  readonly rejects: readonly { readonly cell: number; readonly message: string }[];
}
