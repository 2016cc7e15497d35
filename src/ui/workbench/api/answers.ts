import { z } from 'zod';
import type { Cell, ColumnType, FlatRecord } from '../../../core/columns/columns.ts';
import type { ErrorCode } from '../../../core/errors.ts';
import type { ColumnReading } from '../../../core/identify/identifier.ts';
import type { NameSuggestion } from '../../../core/names/row-register.ts';
import type { Match, RecordStatus } from '../../../core/rules/outcomes.ts';
import type { ListReading } from '../../../facts/lists.ts';
import type { KindUse } from '../../../facts/lookup-use.ts';
import type { PlanJson } from '../../../facts/plan.ts';
import type { RunFacts } from '../../../run/run-schemas.ts';
import type { JobChoices, WorkbenchSettings } from './requests.ts';

/*
 * What the page is told. Errors are sent as an ApiProblem.
 */

export interface ApiProblem {
  /** Absent if the page itself found the problem. */
  readonly code?: ErrorCode | 'BUG';
  readonly message: string;
  readonly remedy: string;
}

/** The copy of the ledger as it was; null if it was up to date. */
export interface Upgraded {
  readonly copy: string | null;
}

/** The job file that a request wrote or found. */
export interface MadeJob {
  readonly job: string;
}

/** A dropped list that looks like a newer version of this one. Nothing was stored. */
export interface KnownList {
  readonly known: string;
  readonly by: 'name' | 'columns';
}

export type { RunFacts };
export type RunPlan = PlanJson;

export interface FolderState {
  readonly isSample: boolean;
  /** The last result is real, even if the next one would be sample data. */
  readonly isLastReal: boolean;
  readonly theme: WorkbenchSettings['theme'];
  /** Set if the ledger must be upgraded first. No view can show anything before. */
  readonly outdated: ApiProblem | null;
  /** Differs from the requested path after a rename. */
  readonly job: string | undefined;
  readonly stamp: string;
}

export interface ShownPrice {
  readonly company: number | null;
  readonly people: number | null;
  readonly currency: string;
}

export interface Settings extends WorkbenchSettings {
  readonly folder: string;
  readonly ledger: string;
  readonly ledgerNotes: readonly string[];
  readonly service: {
    readonly host: string | null;
    readonly isSample: boolean;
    /** In services.yaml, so the job has no address, key and price of its own. */
    readonly isDescribed: boolean;
    readonly hasKey: boolean;
    /** Variables override what the job says. */
    readonly overrides: readonly string[];
  };
  readonly terms: {
    readonly rate: number | null;
    readonly perStart: number | null;
    readonly perDay: number | null;
    readonly perMonth: number | null;
    readonly confirmAbove: number;
    readonly suppress: readonly string[];
    readonly price: ShownPrice | null;
  } | null;
}

export interface Services {
  readonly file: string;
  readonly services: readonly DescribedServiceFacts[];
}

export interface DescribedServiceFacts extends ServiceTest {
  readonly name: string;
  readonly isUsed: boolean;
  readonly price: ShownPrice | null;
  readonly rate: number | 'none' | null;
  readonly budget: Partial<Record<'perStart' | 'perDay' | 'perMonth', string>>;
}

export interface ServiceTest {
  /** Where the key comes from, in words. */
  readonly key: string;
  readonly hasKey: boolean;
  /** If false, a variable is set in the terminal. */
  readonly isKeyEntered: boolean;
  readonly problem: string | null;
  readonly host: string | null;
  /** Which request *Test connection* would send, and what it may cost. */
  readonly test: { readonly request: string; readonly cost: string | null } | null;
}

export const ServiceAnswer = z.object({
  request: z.string(),
  finding: z.string(),
  cost: z.string(),
});
export type ServiceAnswer = z.output<typeof ServiceAnswer>;

export const ServiceUsages = z.object({
  services: z.array(
    z.object({
      service: z.string(),
      today: z.number().nullable(),
      paidToday: z.string().nullable(),
      thisMonth: z.number().nullable(),
      paidThisMonth: z.string().nullable(),
      /** Limits, and what is left of each. */
      budget: z.array(z.string()),
    }),
  ),
});
export type ServiceUsage = z.output<typeof ServiceUsages>['services'][number];

export interface ListCard {
  readonly path: string;
  readonly changedAt: string;
  readonly problem: ApiProblem | undefined;
  readonly isRunning: boolean;
  readonly runs: number;
  readonly last: RunFacts | undefined;
  /** Empty if nothing was charged. */
  readonly spent: string;
  readonly isSample: boolean;
  readonly list: string | undefined;
  readonly bytes: number | undefined;
}

/** How a list is read, with its first rows. */
export interface ListRead extends ListReading {
  readonly job: string;
  readonly isBare: boolean;
  readonly list: string;
  /** Null means detected. */
  readonly settings: {
    readonly sheet: string | null;
    readonly headerRow: number | null;
    readonly delimiter: string | null;
    readonly encoding: string | null;
    readonly country: string;
    readonly people: JobPeople | null;
  };
  readonly names: {
    readonly kinds: readonly ColumnReading[];
    readonly countries: readonly string[];
    readonly encodings: readonly string[];
    readonly seniority: readonly string[];
    readonly department: readonly string[];
  };
  readonly service: Pick<Settings['service'], 'host' | 'isSample' | 'hasKey'>;
  /** Set if the encoding is a guess, with lines by which a user can check it. */
  readonly guess: { readonly name: string; readonly lines: readonly string[] } | null;
}

export interface JobPeople extends NonNullable<JobChoices['people']> {
  /** Only the job file can change position titles. */
  readonly positions: readonly string[];
}

export interface JobState {
  readonly isRunning: boolean;
  /** While true, `run` is still the previous run. */
  readonly isStarting: boolean;
  /** The run waits for answers that may be charged. */
  readonly isStopping: boolean;
  /** Null while a process runs, or if it was killed. */
  readonly ended: {
    readonly exitCode: number;
    readonly reason: string | null;
    readonly message: string | null;
    readonly remedy: string | null;
  } | null;
  readonly run: ShownRun | null;
  /** Number of calls that a stop waits for. */
  readonly inFlight: number;
  readonly secondsLeft: number | null;
}

export interface ShownRun extends RunFacts {
  readonly phase: 'reading' | 'calling' | 'writing' | null;
  readonly hasPeople: boolean;
  /** `AUD 14.40` or `9 calls, price not set`; empty if nothing was charged. */
  readonly paid: string;
  /** The same of all runs of the list; empty while it runs. */
  readonly paidByAll: string;
  /** The job is probably wrong, not the rows. */
  readonly foundNothing: boolean;
}

export interface HistoryJob {
  /** Null if the job file is gone. */
  readonly path: string | null;
  readonly name: string;
  readonly runs: readonly RunFacts[];
  readonly problem?: ApiProblem;
}

/** A job file that was written. */
export interface JobFile {
  readonly path: string;
}

export interface RunOutputs {
  /** Null if the files were moved, replaced by a later run, or not written. */
  readonly folder: string | null;
  readonly lookups: readonly KindUse[];
  readonly hasReport: boolean;
  readonly files: readonly {
    readonly name: string;
    readonly rows: number;
    readonly bytes: number;
  }[];
  readonly otherDestinations: readonly { readonly address: string; readonly lag: string }[];
}

export interface TableColumn {
  /** Name of the column in the companies file. It is the same in every run. */
  readonly name: string;
  /** Header of the list, or words such as `Employee count`. */
  readonly label: string;
  readonly about: string;
  /** `Your list`, `Outcome`, `Profile` … */
  readonly group: string;
  readonly type: ColumnType;
  readonly isOfList: boolean;
  readonly isSortable: boolean;
  /** Index in a record of companies.* or people.*; -1 for the number of people. */
  readonly position: number;
}

export type ColumnPreset = Readonly<WorkbenchSettings['presets'][number]>;

export interface RowFacts {
  readonly number: number;
  readonly key: string;
  readonly status: RecordStatus;
  readonly reason: string | null;
  readonly reasonText: string | null;
  readonly match: Match | null;
  readonly isStale: boolean;
  readonly isChanged: boolean;
  /** In the register, of a row with an ABN. */
  readonly registerName?: string;
}

export interface TableRow extends RowFacts {
  /** Aligned with the columns of the page. Very long cells are cut. */
  readonly cells: FlatRecord;
  /** Names of columns with a cut cell. */
  readonly cut?: readonly string[];
  /** The column that the reason is about, if the row shows it, and the value certainly meant. */
  readonly about?: { readonly name: string; readonly meant?: string };
  /** Companies that its rejected name may mean, the likeliest first. */
  readonly suggestions?: readonly NameSuggestion[];
}

export interface TableColumns {
  readonly hasPeople: boolean;
  readonly columns: readonly TableColumn[];
  /** The first preset is the default. */
  readonly presets: readonly ColumnPreset[];
}

/** How far the table is filled in which rows are searched, filtered and sorted. */
export interface IndexState {
  readonly isWhole: boolean;
  readonly share: number;
  /** Why there is no such table, such as a full disk. */
  readonly problem: string | null;
}

export interface RowsPage {
  readonly all: number;
  /** Rows that match search and facets. */
  readonly total: number;
  readonly offset: number;
  readonly index: IndexState;
  readonly columns: readonly TableColumn[];
  readonly rows: readonly TableRow[];
}

export interface RowNumbers {
  /** Null for the whole list in its own order. */
  readonly index: IndexState | null;
  readonly numbers: readonly number[];
}

export interface Facets {
  readonly index: IndexState;
  readonly facets: readonly Facet[];
}

export interface Facet {
  readonly name: string;
  readonly label: string;
  readonly values: readonly { readonly value: string; readonly count: number }[];
}

export interface WholeRow {
  readonly row: RowFacts;
  readonly list: readonly {
    readonly header: string;
    readonly cell: string | null;
    readonly isCut: boolean;
  }[];
  readonly country: string | null;
  /** Best first. */
  readonly identifiers: readonly {
    readonly kind: string;
    readonly value: string;
    readonly result: 'missed' | 'matched' | 'failed' | 'open';
  }[];
  /** The answer to the last identifier. */
  readonly answer:
    | {
        readonly fetchedAt: string;
        readonly service: string | null | undefined;
        readonly isOfRun: boolean;
      }
    | ''
    | null;
  readonly changedAt: string | null;
  /** Null without a company, or if its answer is damaged. */
  readonly company: readonly { readonly column: TableColumn; readonly value: Cell }[] | null;
  readonly people: {
    readonly isComplete: boolean;
    readonly isStale: boolean;
    readonly total: number;
    readonly columns: readonly TableColumn[];
    readonly people: readonly FlatRecord[];
  } | null;
}

export interface Fixes {
  /** Empty before the first run. */
  readonly columns: readonly {
    readonly name: string;
    readonly header: string;
    readonly isName: boolean;
    readonly isCountry: boolean;
  }[];
  readonly corrections: readonly {
    readonly key: string;
    readonly header: string;
    readonly was: string;
    readonly now: string;
    readonly isLookedUp: boolean;
  }[];
}

/** What a typed correction would do. */
export interface CellVerdict {
  readonly kind: 'good' | 'same' | 'back' | 'refused';
  readonly before: string;
  readonly text: string;
  readonly fix: string | null;
  readonly meant?: string | undefined;
}

export interface Download {
  readonly id: string;
  readonly name: string;
  readonly rows: number;
  readonly bytes: number;
}
