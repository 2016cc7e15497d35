import type { FlatRecord } from '../../records/columns/columns.ts';

/** What is known of a file that was written. */
interface FileFacts {
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
}

/** Writes records of one table in one format, however many, in little memory. */
export interface RecordWriter {
  /** Gives a promise where the caller has to wait before the next record, and nothing otherwise. */
  write(record: FlatRecord): Promise<void> | undefined;
  /** Writes lines that were made elsewhere, after all that came before. Only files of lines can. */
  append?(lines: Uint8Array, rows: number): Promise<void>;
  close(): Promise<FileFacts>;
}

/** Where a writer puts its bytes. */
export interface ByteSink {
  /** When this returns, the memory of the bytes may be used for others. */
  write(bytes: Uint8Array): Promise<void>;
  seal(): Promise<{ readonly bytes: number; readonly sha256: string }>;
}

/** How a file of lines is written: what comes first, and one text for each record. */
export interface TextLines {
  readonly head: string;
  toLine(record: FlatRecord): string;
}
