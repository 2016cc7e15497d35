import type { ReferenceNames } from '../core/contract/reference.ts';
import type { Limit } from '../core/rules/budgets.ts';
import type { PeopleTerms } from '../core/rules/people-search.ts';
import type { ReuseTerms } from '../core/rules/reuse.ts';
import type { Price } from '../core/values/money.ts';
import type { Service as ProvidedService } from '../engine/providers/providers.ts';
import type { ListAddress } from '../platform/files/local-path.ts';
import type { refreshedReuse } from './job-flags.ts';
import type { Job } from './job-schema.ts';
import type { KeySource, SecretAddress } from './read-address.ts';
import type { JobDestinations } from './resolve-destinations.ts';

export const columnFlag = '--column';

/** A job with a `service:` block has one service, which its outputs do not name. */
export const inlineName = 'service';

/**
 * What the user asked for, in groups: the `Job` of a file with its defaults, flags and environment.
 * Paths are absolute, times are in milliseconds, and it contains no secrets. `run/jobs/read-job`
 * adds what only the disk knows: which ledger, and what services.yaml says of an address.
 */
export interface ResolvedJob extends JobList, JobService, JobResult, JobLedger {
  readonly name: string;
  readonly file: string | undefined;
}

/** The list, and which cells identify companies. */
export interface JobList {
  /** The job's own list; `--input` replaces only `input.path`. */
  readonly list: string;
  readonly corrections: string | undefined;
  readonly input: {
    /** Absolute path, address without secrets, or `-` for standard input. */
    readonly path: string;
    readonly address: ListAddress | undefined;
    readonly options: Omit<Job['input'], 'path' | 'key' | 'corrections'>;
    readonly key: Job['input']['key'];
    readonly maxRows: number | undefined;
  };
  readonly identify: Job['identify'];
  readonly acceptNames: Job['names']['accept'];
  /** Rows of cancelled ABNs end without a lookup. */
  readonly skipCancelled: boolean;
  readonly country: Job['country'];
  readonly suppress: readonly string[];
  /** `leads.yaml:9:13` or `--column` */
  positionOfColumn(column: string): string | undefined;
}

/** Who is asked for what, how fast, and at which cost. */
export interface JobService {
  /** In the order in which they are asked. */
  readonly services: readonly [ResolvedService, ...ResolvedService[]];
  /** The file that describes them; undefined if the job does. */
  readonly servicesFile: string | undefined;
  readonly people: PeopleTerms | undefined;
  readonly reference: ReferenceNames;
  readonly limits: {
    readonly rate: number | 'none';
    readonly concurrency: number;
    readonly timeoutMs: number;
    readonly attempts: number;
    readonly maxWaitMs: number;
  };
  readonly budget: Omit<Job['budget'], 'confirmAbove'> & {
    readonly confirmAboveMicros: number;
    readonly spendMicros?: number;
  };
  /** Of services without their own; see `reuseAt`. */
  readonly reuse: ReuseTerms;
  readonly refresh: Parameters<typeof refreshedReuse>[1];
}

/** What becomes of the answers. */
export interface JobResult extends JobDestinations {
  readonly retain: { readonly companiesMs: number; readonly peopleMs: number };
  /** `--output` names other destinations than the job file, for this command only. */
  readonly isElsewhere: boolean;
  readonly expect: readonly NonNullable<Job['expect'][keyof Job['expect']]>[];
  readonly changes: Job['changes'];
  readonly onCall: {
    readonly notify: { readonly address: SecretAddress; readonly on: NotifyOn } | undefined;
    readonly heartbeat: SecretAddress | undefined;
  };
}

type NotifyOn = NonNullable<Job['notify']>['on'];

/** Where answers and names are kept. */
export interface JobLedger {
  readonly ledger: string;
  /** A flag or the job names it. If not, `run/jobs/find-ledger` decides. */
  readonly isLedgerNamed: boolean;
  /** The ledger of DOSSIER_LEDGER, if no flag replaces it. */
  readonly sharedLedger: string | undefined;
  readonly ledgerCare: {
    readonly keepRuns: number;
    readonly mustExist: boolean;
    readonly snapshot: { readonly address: string; readonly everyMs: number } | undefined;
    /** Set if the snapshot is unused because a flag names a different ledger. */
    readonly otherSnapshot: string | undefined;
  };
  /** Company names and their ABNs, if the file exists. */
  readonly register: string;
  /** The job or a flag names it, so it has to be there. */
  readonly isRegisterNamed: boolean;
}

export interface ResolvedService extends ProvidedService {
  /** Names the service in messages and outputs. */
  readonly name: string;
  readonly formerUrl?: string;
  readonly isSample: boolean;
  readonly key: KeySource;
  /** If below `limits.rate` of the job. */
  readonly rate?: number | 'none';
  /** Limits for all jobs on the ledger. */
  readonly budget?: ServiceBudget;
  /** Other services.yaml that lower its rate or budget. */
  readonly limitedBy?: readonly string[];
  readonly price?: Price | undefined;
  /** The other services.yaml that says the price, if its own does not. */
  readonly pricedBy?: string;
  /** See `reuseAt`. */
  readonly reuse?: ReuseTerms;
  readonly share?: SecretAddress | undefined;
}

/** How long answers of a service are reused. */
export function reuseAt(
  service: Pick<ResolvedService, 'reuse'>,
  job: Pick<JobService, 'reuse'>,
): ReuseTerms {
  return service.reuse ?? job.reuse;
}

/** `setIn` is the file that sets the limit. */
export type ServiceBudget = Readonly<
  Partial<Record<'perStart' | 'perDay' | 'perMonth', Limit & { readonly setIn?: string }>>
>;
