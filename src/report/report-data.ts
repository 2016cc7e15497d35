import type { ChangeCounts } from '../records/changes/change.ts';
import type { RecordStatus, RowStatus } from '../rules/outcomes.ts';

/*
 * All that the page shows. It is made from the ledger, travels as JSON inside report.html or over
 * the wire of the live view, and is the only thing that both sides know of each other.
 */
export interface ReportData {
  /** Of Dossier. */
  readonly version: string;
  readonly run: ReportRun;
  readonly rows: Readonly<Record<RecordStatus | 'total', number>>;
  readonly people: number;
  readonly calls: ReportCalls;
  /** What the calls cost, as text such as `AUD 14.40`; absent where the job tells no price. */
  readonly paid?: { readonly money: string; readonly requests: number };
  readonly attention: readonly Attention[];
  readonly timeline: ReportTimeline | null;
  readonly files: readonly ReportFile[];
  /** Where the files are, for a page that is not beside them. */
  readonly folder?: string;
  /** What needs a look at every company; null while the run goes on. */
  readonly insight: Insight | null;
  /** What came in last, while the run goes on. */
  readonly recent: readonly RecentAnswer[];
}

export type ReportState = 'reading' | 'running' | 'writing' | 'finished' | 'interrupted';

export interface ReportRun {
  /** `r7` */
  readonly id: string;
  readonly job: string;
  readonly input: string;
  /** Sample data answers, and no real service. */
  readonly isSample: boolean;
  readonly state: ReportState;
  /** What its result was expected to be and is not, so that its files are held. */
  readonly held: readonly string[];
  readonly hasPeople: boolean;
  readonly startedAt: number;
  /** Null while it goes on, and for one that was interrupted. */
  readonly endedAt: number | null;
  /** When these numbers were true. */
  readonly seenAt: number;
  /** The time from its start to its end, or until now, as the terminal says it: `4m 12s`. */
  readonly took: string;
}

export interface ReportCalls {
  /** The service answered. */
  readonly made: number;
  /** The ledger had the answer. */
  readonly reused: number;
  /** The company was known under another identifier. */
  readonly joined: number;
  /** Rows asked what another row had asked before. */
  readonly shared: number;
  /** All that were not needed. */
  readonly saved: number;
  readonly failed: number;
  readonly open: number;
}

/** Something that a person should know or do. */
export interface Attention {
  readonly level: 'problem' | 'notice';
  readonly title: string;
  readonly advice: string;
  /** The section of the page that shows more. */
  readonly section?: SectionId;
}

export type SectionId = 'outcomes' | 'rejects' | 'service' | 'drift' | 'mismatches' | 'rows';

/** Aligned lists, one entry for each slice of time. */
export interface ReportTimeline {
  readonly widthMs: number;
  readonly startsAt: readonly number[];
  readonly answered: readonly number[];
  readonly failed: readonly number[];
  readonly retried: readonly number[];
  readonly throttled: readonly number[];
  readonly throttledMs: readonly number[];
  readonly p50: readonly (number | null)[];
  readonly p90: readonly (number | null)[];
  readonly p99: readonly (number | null)[];
  /** Of the whole run. */
  readonly whole: {
    readonly attempts: number;
    readonly answered: number;
    readonly failed: number;
    readonly retried: number;
    readonly throttled: number;
    readonly throttledMs: number;
    readonly p50: number | null;
    readonly p90: number | null;
    readonly p99: number | null;
  };
}

export interface ReportFile {
  readonly name: string;
  readonly table: 'companies' | 'people' | 'rejects' | 'changes' | 'workbook';
  readonly rows: number;
  readonly bytes: number;
}

export interface RecentAnswer {
  readonly id: number;
  readonly at: number;
  /** `fqdn acme.com.au`, `people of c_1042` */
  readonly asked: string;
  readonly outcome: 'hit' | 'miss' | 'invalid' | 'oversized' | 'failed';
  readonly company?: string;
  readonly durationMs: number;
}

export interface Insight {
  readonly outcomes: readonly OutcomesOfKind[];
  readonly reasons: readonly ReasonFacts[];
  readonly matches: Readonly<
    Record<'exact' | 'alias' | 'joined' | 'mismatch' | 'unverified', number>
  >;
  /** Rows with a company, which shares of fields are shares of. */
  readonly companies: number;
  readonly countries: Ranking;
  readonly headquarters: Ranking;
  readonly industries: Ranking;
  readonly sizes: Ranking;
  readonly people: PeopleInsight | null;
  /** Null where there is no earlier run to compare with. */
  readonly changes: ChangesInsight | null;
  readonly coverage: readonly FieldGroup[];
  readonly drift: readonly DriftFacts[];
  readonly sample: SampledRows;
}

export interface ChangesInsight {
  /** `r29`, the run that was compared with. */
  readonly since: string;
  readonly counts: Readonly<ChangeCounts>;
  /** Columns that changed most, with a few examples. */
  readonly fields: readonly ChangedField[];
  readonly otherFields: number;
  /** The first of each kind; the file has all. */
  readonly shown: Readonly<Record<ShownOp, readonly ShownChange[]>>;
  readonly file: string;
}

export type ShownOp =
  | 'company_lost'
  | 'company_replaced'
  | 'company_found'
  | 'person_joined'
  | 'person_left';

export interface ChangedField {
  readonly column: string;
  readonly count: number;
  /** Before and after are empty where there was nothing. */
  readonly examples: readonly {
    readonly name: string;
    readonly before: string;
    readonly after: string;
  }[];
}

export interface ShownChange {
  readonly rowKey: string;
  /** Of the company. */
  readonly name: string;
  /** The company that another has replaced. */
  readonly nameBefore?: string;
  readonly reason?: string;
  readonly person?: string;
}

export type OutcomesOfKind = { readonly kind: string } & Readonly<Record<RecordStatus, number>>;

export interface ReasonFacts {
  readonly status: Exclude<RowStatus, 'matched'>;
  readonly reason: string;
  readonly rows: number;
  /** What is wrong, in a sentence. */
  readonly message: string;
  readonly fix: string;
  readonly examples: readonly ReasonExample[];
}

export interface ReasonExample {
  readonly row: number;
  readonly input: string;
  /** What the service said about this very row. */
  readonly message?: string;
}

/** The most frequent names, and how many there are besides. */
export interface Ranking {
  readonly entries: readonly RankedName[];
  readonly otherNames: number;
  readonly otherCount: number;
}

export interface RankedName {
  readonly name: string;
  readonly count: number;
}

export interface PeopleInsight {
  readonly total: number;
  readonly seniorities: Ranking;
  readonly departments: Ranking;
  readonly channels: readonly RankedName[];
}

export interface FieldGroup {
  readonly name: string;
  readonly fields: readonly {
    readonly name: string;
    readonly about: string;
    readonly filled: number;
  }[];
}

export interface DriftFacts {
  readonly path: string;
  readonly expected: string;
  readonly found: string;
  readonly rows: number;
  readonly firstRow: number;
}

export interface SampledRows {
  readonly total: number;
  readonly rows: readonly ShownRow[];
  /** The file that has every row. */
  readonly file: string;
}

export interface ShownRow {
  readonly row: number;
  readonly status: RecordStatus;
  readonly reason?: string;
  readonly message?: string;
  readonly kind?: string;
  readonly identifier?: string;
  readonly match?: string;
  readonly country?: string;
  readonly company?: string;
  /** Of a company that carries another identifier than was asked for. */
  readonly domain?: string;
  readonly input: string;
}
