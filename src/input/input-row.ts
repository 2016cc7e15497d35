/** One row of the list, whatever its format. */
export interface InputRow {
  /** Counted from 1, the header not included. */
  readonly number: number;
  /** The line of the file where the row starts, from 1; in a workbook, the row of the sheet. */
  readonly line: number;
  /** Aligned with the columns; undefined where the row has no such cell. */
  readonly cells: readonly (string | undefined)[];
  /** Why the row cannot be trusted. `cells` then holds what could be read. */
  readonly problem?: string;
}

/** What the reader of one format returns: the columns at once, the rows as they are read. */
export interface InputTable {
  readonly columns: readonly string[];
  readonly hasHeader: boolean;
  /** The line of a CSV file, or row of a sheet, that names the columns; undefined where none does. */
  readonly headerLine?: number | undefined;
  /** What separates the columns of a CSV file, given or found. */
  readonly delimiter?: string | undefined;
  /** Rows above the column names that were skipped as a title. */
  readonly titleRows: number;
  /** Each batch holds the rows that have been read so far, so no row waits for a later one. */
  readonly batches: AsyncGenerator<readonly InputRow[]>;
}
