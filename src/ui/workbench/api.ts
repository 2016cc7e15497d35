import { z } from 'zod';
import type { ColumnType, FlatRecord } from '../../core/columns/columns.ts';
import type { ErrorCode } from '../../core/errors.ts';
import type { Match, RecordStatus } from '../../core/rules/outcomes.ts';
import type { RunFacts } from '../../results/manifest.ts';
import type { PlanJson } from '../overview/plan.ts';
import type { judgeCell, readFixes } from './fixes/fixes.ts';
import type { readJobs } from './history.ts';
import type { saveJobAs } from './jobs/job-files.ts';
import type { readList } from './jobs/read-routes.ts';
import type { listCards } from './lists/list-routes.ts';
import type { outputsOf } from './outputs.ts';
import type {
  findRows,
  readColumns,
  readFacets,
  readPage,
  readWholeRow,
} from './rows/read-page.ts';
import type { Runs } from './runs/runs.ts';
import type { folderState, settingsOf } from './settings.ts';

/*
 * What the page asks and what the server answers. A request names a job by its path in the folder (`job`), and may name
 * a run (`run=r7`); without one it is about the newest. A refusal is 422 with an ApiProblem.
 */

/** What happened, and what to do next. */
export interface ApiProblem {
  readonly code: ErrorCode | 'BUG';
  readonly message: string;
  readonly remedy: string;
}

/** The job that a request has led to, such as the draft for a list that was dropped. */
export interface MadeJob {
  readonly job: string;
}

export type FolderState = Awaited<ReturnType<typeof folderState>>;
export type Settings = Awaited<ReturnType<typeof settingsOf>>;
export type ListCard = ReturnType<typeof listCards>[number];
export type ListRead = Awaited<ReturnType<typeof readList>>;
export type { RunFacts };
export type RunPlan = PlanJson;
export type JobState = ReturnType<Runs['stateOf']>;
export type ShownRun = NonNullable<JobState['run']>;
export type HistoryJob = ReturnType<typeof readJobs>[number];
export type JobFile = Awaited<ReturnType<typeof saveJobAs>>;
export type RunOutputs = Awaited<ReturnType<typeof outputsOf>>;
export type TableColumns = ReturnType<typeof readColumns>;
export type RowsPage = ReturnType<typeof readPage>;
export type Facets = ReturnType<typeof readFacets>;
export type Facet = Facets['facets'][number];
export type RowNumbers = ReturnType<typeof findRows>;
export type IndexState = RowsPage['index'];
export type WholeRow = ReturnType<typeof readWholeRow>;
export type Fixes = ReturnType<typeof readFixes>;
export type CellVerdict = ReturnType<typeof judgeCell>['verdict'];

/** What the page keeps for a folder, in `output/workbench.json`. */
export const WorkbenchSettings = z.object({
  /** A run above this has to be confirmed: in money if the job has a price, otherwise in lookups. */
  confirmAbove: z
    .object({ calls: z.number().min(0), money: z.number().min(0) })
    .default({ calls: 1_000, money: 100 }),
  theme: z.enum(['auto', 'light', 'dark']).default('auto'),
  /** Columns saved under a name for every list of the folder. */
  presets: z
    .array(z.object({ name: z.string(), label: z.string(), columns: z.array(z.string()).min(1) }))
    .default([]),
});
export type WorkbenchSettings = z.output<typeof WorkbenchSettings>;

const text = z.string().max(10_000);
const names = z.array(text).max(100).readonly();
const number = z.number().nullable().exactOptional();

/** What the user has chosen for a job. What is absent stays; null takes it out of the job. */
export const JobChoices = z.strictObject({
  sheet: text.nullable().exactOptional(),
  headerRow: z.int().nullable().exactOptional(),
  delimiter: text.nullable().exactOptional(),
  encoding: text.nullable().exactOptional(),
  identify: z
    .array(z.strictObject({ column: text, as: text }))
    .max(100)
    .readonly()
    .exactOptional(),
  country: z.strictObject({ column: text.nullable(), default: text }).exactOptional(),
  key: text.nullable().exactOptional(),
  rate: number,
  perStart: number,
  perDay: number,
  perMonth: number,
  /** Paths of suppression lists, from the job file. */
  suppress: names.exactOptional(),
  price: z
    .strictObject({
      /** Null where it is not set. */
      company: z.number().nullable(),
      people: z.number().nullable(),
      currency: text,
    })
    .nullable()
    .exactOptional(),
  people: z
    .strictObject({
      // Written first, so that the group is there when the others are taken out.
      maxPerCompany: z.number(),
      /** Names; none stands for all. */
      seniority: names,
      department: names,
    })
    .nullable()
    .exactOptional(),
});
export type JobChoices = z.output<typeof JobChoices>;

export interface JobPeople extends NonNullable<JobChoices['people']> {
  /** Position titles, which only the job file can change. */
  readonly positions: readonly string[];
}

/** Which rows are wanted. Without search, facets and sort the ledger answers. */
export const RowsQuery = z.object({
  /** One line for each person, in place of one for each row. */
  table: z.literal('people').optional(),
  /**
   * Words that all have to stand somewhere in the row: in its key, cells, identifier, or the name, domain,
   * place and numbers of its company. Upper case and accents do not matter. Nothing in it is a syntax.
   */
  search: z.string().default(''),
  /**
   * The chosen values of each facet: a row fits with any of them, and has to fit in every facet. Facets are named
   * like columns: `status`, `company_company_size`, `input_owner`; besides, there are `mismatch` and `changed`.
   */
  facets: z.record(z.string(), z.array(z.string()).readonly()).default({}),
  /** Name of a sortable column; rows without a value come last in both directions. */
  sort: z.string().optional(),
  descending: z.boolean().default(false),
  /** Names of columns. A name that is not known is left out. */
  columns: z.array(z.string()).readonly().default([]),
  /** Of the first row in the table as it is sorted and filtered, from 0. */
  offset: z.int().min(0).default(0),
  limit: z.int().min(1).max(500).default(100),
  /** Rows of these numbers in this order, in place of those that fit. */
  numbers: z.array(z.int().min(1)).max(500).readonly().optional(),
  /** Facets of the list's own columns whose values are wanted. */
  open: z.array(z.string()).readonly().default([]),
});
export type RowsQuery = z.output<typeof RowsQuery>;
export type FacetChoice = RowsQuery['facets'];

export interface TableColumn {
  /** As in companies.*: `input_website`, `status`, `company_name`. It stays the same from run to run. */
  readonly name: string;
  /** For the head of the table: the list's own header, or words such as `Employee count`. */
  readonly label: string;
  /** A sentence, where there is one to say. */
  readonly about: string;
  /** `Your list`, `Outcome`, `Profile`, `Web traffic` … */
  readonly group: string;
  readonly type: ColumnType;
  /** The list's own, as it was read; its name begins with `input_`. */
  readonly isOfList: boolean;
  readonly isSortable: boolean;
  /** Where its cell stands in a record of companies.* or people.*; -1 for the number of people. */
  readonly position: number;
}

export interface ColumnPreset {
  readonly name: string;
  readonly label: string;
  /** Names of columns, in their order. */
  readonly columns: readonly string[];
}

export interface TableRow {
  /** Of the row in the list, from 1. */
  readonly number: number;
  readonly key: string;
  readonly status: RecordStatus;
  /** Its code, such as `freemail`; null where the row has a company or is open. */
  readonly reason: string | null;
  /** The reason in a sentence. */
  readonly reasonText: string | null;
  readonly match: Match | null;
  /** It keeps an answer that is older than the job allows. */
  readonly isStale: boolean;
  /** The company has another identifier than was asked for, whether it was kept or not. */
  readonly isMismatch: boolean;
  /** Different from the last published run before; null where there is none, or the run goes on. */
  readonly isChanged: boolean | null;
  /** Aligned with the columns of the page. Only the beginning of a very long cell, which says so at its end. */
  readonly cells: FlatRecord;
  /** Names of the columns whose cell is cut; not there where none is. */
  readonly cut?: readonly string[];
}

/** Rows and columns that are wanted, as the table shows them or all. */
export const DownloadQuery = RowsQuery.pick({
  ...{ table: true, search: true, facets: true, sort: true, descending: true },
}).extend({
  format: z.enum(['xlsx', 'csv', 'jsonl', 'parquet']),
  /** Names of columns; the list's own come first, under their own headers. */
  columns: z.array(z.string()).readonly(),
  /** Between the columns of CSV. */
  delimiter: z.enum([',', ';']).default(','),
  /** CSV that a spreadsheet opens as it is: with a byte order mark, and no cell that it would run. */
  isForSpreadsheet: z.boolean().default(false),
});
export type DownloadQuery = z.output<typeof DownloadQuery>;

/** A file that waits to be fetched. */
export interface Download {
  readonly id: string;
  readonly name: string;
  /** Of the list, or people. */
  readonly rows: number;
  readonly bytes: number;
  /** Of a workbook: companies, people where they were searched, rejects. Other files have companies alone. */
  readonly sheets?: readonly { readonly name: string; readonly rows: number }[];
}

/** Characters of a cell in the view of one row, where it can be fixed as long as it is whole. */
export const mostInRow = 100_000;

/** A cell as somebody types or pastes it. */
export const TypedCell = z.strictObject({
  /** Number of the row in the newest run. */
  number: z.int().min(1),
  header: z.string().max(10_000),
  value: z.string().max(mostInRow),
});
export type TypedCell = z.output<typeof TypedCell>;

/** The cost of looking up the fixed rows. */
export interface FixPrice {
  readonly rows: number;
  readonly plan: RunPlan;
}
