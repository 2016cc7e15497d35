import type { Country } from '../contract/countries.ts';
import type { ReferenceNames } from '../contract/reference.ts';
import type { Price } from '../runtime/budget/money.ts';
import type { ListAddress } from '../runtime/files/local-path.ts';
import type { sampleData } from '../runtime/sample-data.ts';
import type { Job } from './job-schema.ts';
import type { ResolvedFolder, ResolvedPlace } from './places/resolve-places.ts';
import type { SecretAddress } from './read-address.ts';
import type { KeySource } from './read-key.ts';
import type { PeopleSearch } from './reference-names.ts';
import type { Refresh } from './refresh.ts';
import type { Expectation } from './schema/output-fields.ts';

/** A job that is ready to run: absolute paths, milliseconds, ids. It holds no secret. */
export interface ResolvedJob {
  readonly name: string;
  readonly service: {
    readonly url: typeof sampleData | (string & {});
    readonly key: KeySource;
    /** Undefined for sample data, which is free. */
    readonly price?: Price | undefined;
    /** Undefined where nothing is shared with other machines, and for sample data. */
    readonly share?: ResolvedShare | undefined;
    /** The job is to share, and does not, because sample data is answered in this process. */
    readonly leavesShareOut?: boolean;
  };
  readonly input: {
    /** Absolute, an address without its secrets, or `-` for standard input. */
    readonly path: string;
    /** The list where it lies elsewhere; undefined for one of this machine. */
    readonly address?: ListAddress | undefined;
    readonly options: Omit<Job['input'], 'path' | 'key' | 'maxBytes' | 'timeout' | 'corrections'>;
    /** Columns that tell rows apart; undefined where they are to be found. */
    readonly key?: readonly string[] | undefined;
    /** Number of rows to read from the start of the list; undefined for all. */
    readonly maxRows: number | undefined;
  };
  /** The list that the job is for, as a path like that of the input; `--input` may read another in its place. */
  readonly list: string;
  /** Where corrections of its list are kept; undefined where there is no place for them. */
  readonly corrections?: string | undefined;
  /** Rows of the last run keep their outcomes, however old: only those that are mended are asked for. */
  readonly keepsOutcomes?: boolean;
  /** Undefined when the columns are to be detected. */
  readonly identify: Job['identify'];
  readonly country: { readonly column: string | undefined; readonly default: Country };
  /** Where a column is named, for messages: `leads.yaml:9:13`, or `--column`. */
  readonly placeOfColumn?: (column: string) => string | undefined;
  readonly people:
    | {
        readonly searches: readonly PeopleSearch[];
        readonly pageSize: number;
        readonly maxPerCompany: number;
      }
    | undefined;
  readonly reference: ReferenceNames;
  readonly onMismatch: Job['onMismatch'];
  readonly limits: {
    readonly rate: number | 'none';
    readonly concurrency: number;
    readonly timeoutMs: number;
    readonly attempts: number;
    readonly maxWaitMs: number;
  };
  /** The most requests that may be charged; undefined where there is no limit. */
  readonly budget: Job['budget'];
  /** How old an answer may be and still be fresh. 0 is never, Infinity is always. */
  readonly reuse: {
    readonly companiesMs: number;
    readonly missesMs: number;
    readonly peopleMs: number;
    /** Answers live up to this share shorter, each by its call. */
    readonly spread: number;
    /** How old an answer may be that a row keeps where a newer one cannot be had. */
    readonly staleOnFailureMs: number;
    /** For answers that are refused or oversized; as for misses where it is not given. */
    readonly refusedMs?: number;
  };
  /** What is asked again on purpose; `reuse` heeds it. */
  readonly refresh?: Refresh | undefined;
  /** The folder that people look into: the first that the job names. */
  readonly output: ResolvedFolder;
  /** Where the result goes beside it, or in its stead where it is left out. */
  readonly otherPlaces?: readonly ResolvedPlace[];
  readonly expect: readonly Expectation[];
  readonly changes: {
    /** Columns that are compared though they move by themselves, by name or pattern. */
    readonly include: readonly string[];
  };
  readonly ledger: string;
  /** Whom a run tells how it goes. */
  readonly onCall: {
    readonly notify:
      | { readonly address: SecretAddress; readonly on: readonly NotifyEvent[] }
      | undefined;
    readonly heartbeat: SecretAddress | undefined;
  };
  readonly ledgerCare: {
    /** Runs of the job whose rows stay in the ledger. */
    readonly keepRuns: number;
    /** A ledger that is not there is an error, and is not made. */
    readonly mustExist: boolean;
    /** Where the ledger is stored for machines that lose their disk, and how often. */
    readonly snapshot?: { readonly address: string; readonly everyMs: number } | undefined;
    /** Where the job's own ledger is stored while a flag names another, which has no snapshot. */
    readonly otherSnapshot?: string | undefined;
  };
}

/** Redis, through which runs on other machines share what belongs to a key. */
interface ResolvedShare {
  /** Reveals nothing where the variable that it names may be empty, and is: then nothing is shared. */
  readonly address: SecretAddress;
  /** How long answers stay there after they were fetched. */
  readonly keepMs: { readonly companies: number; readonly people: number };
  /** The most bytes of answers that lie there. */
  readonly maxBytes: number;
}

type NotifyEvent = 'finished' | 'failed' | 'expectation';
