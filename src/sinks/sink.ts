import type { ManifestFile, RecordCounts } from './manifest.ts';

/** What an export shows at its end. All outputs of a run appear together or not at all. */
export interface Output {
  /**
   * Makes the output whole under a temporary name. It is given the facts of the outputs before it,
   * and gives the files that the manifest has to name.
   */
  prepare(written: WrittenRecords): Promise<readonly ManifestFile[]>;
  /** Shows what was prepared. It is called when every output of the run is prepared. */
  commit(): Promise<void>;
  /** Removes what is not committed yet. */
  abort(): Promise<void>;
}

/**
 * An output that takes records, in the form that the pure encoder of its name gives them
 * (`encode/encode-batch.ts`). Batches come in the order of the run.
 */
export interface Sink<Encoded = unknown> extends Output {
  readonly name: string;
  /** Resolves when the next batch may come. The memory of the batch belongs to the sink. */
  write(encoded: Encoded): Promise<void>;
}

/** What is known when every record is written. */
export interface WrittenRecords {
  readonly counts: RecordCounts;
  readonly files: readonly ManifestFile[];
}
