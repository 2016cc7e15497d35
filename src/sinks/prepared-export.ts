import type { WrittenRecords } from './sink.ts';
import type { RunTally } from './tally/run-tally.ts';

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
