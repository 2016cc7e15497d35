import type { RecordStatus, RowStatus } from '../../rules/outcomes.ts';
import type { SampledRow } from '../../sinks/tally/row-sample.ts';
import type { ChangesInsight } from './changes-data.ts';

/** All that the page shows. It travels as JSON inside report.html. */
export interface ReportData {
  /** Of Dossier. */
  readonly version: string;
  readonly run: ReportRun;
  readonly rows: Readonly<Record<RecordStatus | 'total', number>>;
  /** Rows among these that keep an older answer, as a newer one could not be had; absent for none. */
  readonly stale?: number;
  readonly people: number;
  readonly calls: ReportCalls;
  /** What the calls cost, as text such as `AUD 14.40`; absent where the job tells no price. */
  readonly paid?: { readonly money: string; readonly requests: number };
  readonly attention: readonly Attention[];
  readonly files: readonly ReportFile[];
  /** What needs a look at every company. */
  readonly insight: Insight;
}

export interface ReportRun {
  /** `r7` */
  readonly id: string;
  readonly job: string;
  readonly input: string;
  /** Sample data answers, and no real service. */
  readonly isSample: boolean;
  readonly state: 'finished' | 'interrupted';
  /** What its result was expected to be and is not, so that its files are held. */
  readonly held: readonly string[];
  /** Of a run that has not finished: why, where that is known, and whether its files are put aside. */
  readonly stopped?: { readonly why: string; readonly isAside: boolean };
  readonly hasPeople: boolean;
  readonly startedAt: number;
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
  readonly section?: 'rejects' | 'rows';
}

export interface ReportFile {
  readonly name: string;
  readonly table: 'companies' | 'people' | 'rejects' | 'changes' | 'workbook';
  readonly rows: number;
  readonly bytes: number;
}

export interface Insight {
  readonly reasons: readonly ReasonFacts[];
  /** Rows with a company, which shares of fields are shares of. */
  readonly companies: number;
  /** Companies among these that carry another identifier than was asked for. */
  readonly mismatches: number;
  readonly people: PeopleInsight | null;
  /** Null where there is no earlier run to compare with. */
  readonly changes: ChangesInsight | null;
  readonly coverage: readonly FieldGroup[];
  readonly sample: SampledRows;
}

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
  /** The first cells of the row. */
  readonly input: string;
  /** The rejected cell, as `ABN: 12 345`, or the identifier that was asked for. */
  readonly cell?: string;
  /** What the service said about this very row. */
  readonly message?: string;
}

export interface RankedName {
  readonly name: string;
  readonly count: number;
}

export interface PeopleInsight {
  readonly total: number;
  readonly seniorities: readonly RankedName[];
  readonly departments: readonly RankedName[];
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

export interface SampledRows {
  readonly total: number;
  readonly rows: readonly SampledRow[];
  /** The file that has every row. */
  readonly file: string;
}

export type { SampledRow };
