/** One record of an input file, whatever its format. */
export interface InputRow {
  /** Counted from 1, the header not included. */
  readonly number: number;
  /** The line of the file where the record starts, counted from 1 as editors do. */
  readonly line: number;
  /** Aligned with the columns; undefined where the record has no such cell. */
  readonly cells: readonly (string | undefined)[];
  /** Why the row cannot be trusted. `cells` then holds what could be read. */
  readonly problem?: string;
}

/** What a reader of one format finds out before the first row, and the rows themselves. */
export interface InputTable {
  readonly columns: readonly string[];
  readonly hasHeader: boolean;
  /** The rows as they are read: as many at a time as are at hand, so that none waits for a later. */
  readonly batches: AsyncGenerator<readonly InputRow[]>;
}
