/** What is known of a file that was written. */
interface FileFacts {
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
}

/** Writes the encoded records of one table in one format. */
export interface RecordWriter<Encoded = unknown> {
  /** Resolves when the next records may come. */
  write(encoded: Encoded): Promise<void>;
  close(): Promise<FileFacts>;
}

/** Where a writer puts its bytes. */
export interface ByteTarget {
  /** When this returns, the memory of the bytes may be used for others. */
  write(bytes: Uint8Array): Promise<void>;
  seal(): Promise<Omit<FileFacts, 'rows'>>;
}
