import type { RecordStatus } from '../../rules/outcomes.ts';
import type { Insight } from './insight-data.ts';

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
  /** Null for a run that was interrupted. */
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

export type SectionId = 'outcomes' | 'rejects' | 'drift' | 'mismatches' | 'rows';

export interface ReportFile {
  readonly name: string;
  readonly table: 'companies' | 'people' | 'rejects' | 'changes' | 'workbook';
  readonly rows: number;
  readonly bytes: number;
}
