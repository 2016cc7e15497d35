import { dirname } from 'node:path';
import type { RunRecord } from '../records/tables.ts';
import { type AtomicFile, openAtomicFile, syncFolder } from '../runtime/files/atomic-file.ts';
import type { ManifestFile, RecordCounts } from './manifest.ts';
import type { RunTally } from './tally/run-tally.ts';

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

/** Takes records, in the order of the run. */
export interface RecordSink {
  /** A promise is awaited before the next record comes. */
  write(record: RunRecord): Promise<void> | undefined;
}

/** The page for people, which is given what was counted of all records before it is prepared. */
export interface ReportOutput extends Output {
  show(tally: RunTally): void;
}

/** What is known when every record is written. */
export interface WrittenRecords {
  readonly counts: RecordCounts;
  readonly files: readonly ManifestFile[];
}

/** A result that is whole, but not shown yet. It ends by one of its two verbs. */
export interface PreparedExport {
  /** Where it goes, as people may see it. */
  readonly place: string;
  /** Shows it. */
  commit(): Promise<ExportSummary>;
  /** Takes back what is not shown. */
  abort(): Promise<void>;
}

export interface ExportSummary extends WrittenRecords {
  /** Where the files are: a folder, or an address. */
  readonly folder: string;
  /** The run that changes are told against; null where there is none. */
  readonly changesSince: string | null;
  /** Whether the place held the same result, so that no record was read. */
  readonly isSame: boolean;
  /** Files that are as they were, and were left alone. */
  readonly unchanged: readonly string[];
  /** What was counted of all records, where there is a report. */
  readonly tally: RunTally | undefined;
  /** Files of the last export that would have passed for part of this one. */
  readonly removed: readonly string[];
  /** Why nothing was written, in a sentence; undefined where it was. */
  readonly notLoaded?: string | undefined;
}

/** A small file about the records, whose text is known when they are written; undefined: no file. */
export function openTextOutput(
  path: string,
  textOf: (written: WrittenRecords) => string | undefined,
): Output {
  let file: AtomicFile | undefined;
  return {
    async prepare(written) {
      const text = textOf(written);
      if (text === undefined) return [];
      file = await openAtomicFile(path);
      await file.write(Buffer.from(text));
      await file.seal();
      return [];
    },
    async commit() {
      if (!file) return;
      await file.publish();
      await syncFolder(dirname(path));
    },
    abort: async () => file?.discard(),
  };
}
