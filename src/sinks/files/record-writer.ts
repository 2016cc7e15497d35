/** What is known of a file that was written. */
interface FileFacts {
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
  /** Of a workbook: its sheets in their order, with their records. */
  readonly sheets?: { readonly name: string; readonly rows: number }[];
  /** Cells whose text was longer than the format allows; absent where there are none. */
  readonly cutCells?: number;
}

/** Writes the encoded records of one file. */
export interface RecordWriter<Encoded = unknown> {
  /** Resolves when the next records may come. */
  write(encoded: Encoded): Promise<void>;
  close(): Promise<FileFacts>;
  /** Removes what a writer keeps beside its file until it is closed. */
  discard?(): Promise<void>;
}

/** Where a writer puts its bytes. */
export interface ByteTarget {
  /** When this returns, the memory of the bytes may be used for others. */
  write(bytes: Uint8Array): Promise<void>;
  seal(): Promise<Pick<FileFacts, 'bytes' | 'sha256'>>;
}
