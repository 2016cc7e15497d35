import type { Difference } from '../../core/columns/run-records.ts';
import type { ReferenceNames } from '../../core/contract/reference.ts';
import type { Intent } from '../../engine/ledger/care/forget-ledger.ts';
import type { Run } from '../../engine/ledger/runs/runs.ts';
import type { DestinationKind } from '../../job/schema/output-fields.ts';
import type { Manifest, ManifestFile, ManifestHead } from '../manifest.ts';
import type { PreparedExport, ReceivedRun, RecordSource, ReportText } from '../sink.ts';
import type { RunTally } from '../tally/run-tally.ts';
import type { PathValues } from './places.ts';

/** What every kind of destination does. `create-destination.ts` lists the kinds. */
export interface Destination {
  readonly kind: DestinationKind;
  /** The same for every run, and without secrets: `s3://bucket/out/{date}`. */
  readonly name: string;
  /**
   * `local`: on this machine, so users open its files, and its error fails the whole write.
   * `locking`: other writers wait from its `prepare` to its `commit`, so it is prepared last and
   * committed before remote destinations.
   */
  readonly stage: 'local' | 'locking' | 'remote';
  /** Where the result of a run lies. Shown to users, so it contains no secrets. */
  address(run: Run): string;
  /** Throws if a package, a variable or the right to write is missing. Before the first call. */
  require(job: string): void | Promise<void>;
  /** For `dossier check`: tries what a run needs, and returns what it found. */
  check(job: string): Promise<string>;
  /** Why the destination does not take such a result, in a sentence; undefined if it does. */
  whyLeftOut(facts: ManifestHead): string | undefined;
  /** Writes everything, but shows nothing until `commit`. */
  prepare(source: RecordSource, options: WriteOptions): Promise<PreparedExport>;
  /** For `dossier forget`. A database has one result, that of the last loaded run. */
  results(job: string): AsyncIterable<ExistingResult>;
  /** Removes what stays in a database after `forget`, which rewrites only runs of its ledger. */
  forgetRest?(job: string, intent: Intent, isRewritten: boolean): Promise<void>;
}

/** What a run gives to each of its destinations. */
export interface WriteOptions {
  readonly facts: ManifestHead;
  readonly reference: ReferenceNames;
  readonly pathValues: PathValues;
  /** Path of the ledger. Files for uploads are staged beside it. */
  readonly ledger: string;
  /** Whether `there` comes after this run. */
  readonly isLater: (there: ReceivedRun) => boolean;
  /**
   * What happens to a later run. By default, the write is refused. `replace`: the user named this
   * run. `leave`: an older result is written again where it lies.
   */
  readonly ifLater?: 'refuse' | 'replace' | 'leave' | undefined;
  readonly createReport?: ((folder: string) => ReportText) | undefined;
  /** Many rows: worth a thread that hashes. */
  readonly isLong?: boolean | undefined;
  readonly findSame?: ((there: Manifest) => SameTally | undefined) | undefined;
  /** If only some rows differ from those that are there. */
  readonly findDifference?: ((there: Manifest) => FoundDifference | undefined) | undefined;
  /** The changes since the last of our runs there. `received` may be of other ledgers, newest first. */
  readonly catchUp?: ((received: readonly ReceivedRun[]) => Partial<RecordSource>) | undefined;
  /** Throws if the ledger has lost records since they were read. */
  readonly confirm?: (() => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface SameTally {
  readonly tally: RunTally | undefined;
}

export interface FoundDifference extends SameTally {
  readonly difference: Difference;
}

export interface ExistingResult {
  readonly folder: string;
  readonly received: ReceivedRun;
  /** Empty for a database. */
  readonly files: readonly ManifestFile[];
  remove(): Promise<void>;
}
