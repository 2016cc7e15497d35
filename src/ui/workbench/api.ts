import { z } from 'zod';
import type { ColumnType, FlatRecord } from '../../core/columns/columns.ts';
import type { ErrorCode } from '../../core/errors.ts';
import type { NameSuggestion } from '../../core/names/row-register.ts';
import type { PlanJson } from '../../facts/plan.ts';
import type { RunFacts } from '../../run/run-schemas.ts';
import type { checkFix, readFixes } from './fixes.ts';
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
  rowFacts,
} from './rows/read-page.ts';
import type { Runs } from './runs/runs.ts';
import type {
  ServiceAnswer as ServiceAnswerShape,
  ServiceUsage as ServiceUsageShape,
  servicesOf,
} from './service-routes.ts';
import type { folderState, settingsOf } from './settings.ts';

/*
 * In requests, `job` is a path in the folder, and a missing `run` means the newest run. Errors are
 * sent as an ApiProblem.
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

export type Services = NonNullable<ReturnType<typeof servicesOf>>;
export type ServiceAnswer = z.output<typeof ServiceAnswerShape>;
export type ServiceUsage = z.output<typeof ServiceUsageShape>['services'][number];
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
export type CellVerdict = ReturnType<typeof checkFix>['verdict'];

/** Stored in `output/workbench.json`. */
export const WorkbenchSettings = z.object({
  /** Larger runs need confirmation: by money if the job has a price, otherwise by lookups. */
  confirmAbove: z
    .object({ calls: z.number().min(0), money: z.number().min(0) })
    .default({ calls: 1_000, money: 100 }),
  theme: z.enum(['auto', 'light', 'dark']).default('auto'),
  /** Saved by users, for every list of the folder. */
  presets: z
    .array(
      z.object({
        name: z.string(),
        label: z.string(),
        columns: z.array(z.string()).min(1).readonly(),
      }),
    )
    .default([]),
});
export type WorkbenchSettings = z.output<typeof WorkbenchSettings>;

const text = z.string().max(10_000);
const names = z.array(text).max(100).readonly();
const word = text.nullable().exactOptional();
const number = z.number().nullable().exactOptional();

const price = z
  .strictObject({ company: z.number().nullable(), people: z.number().nullable(), currency: text })
  .nullable()
  .exactOptional();

/** Absent keys stay as they are in the job; null removes a key. */
export const JobChoices = z.strictObject({
  /** The name of a described service. */
  service: word,
  sheet: word,
  headerRow: z.int().nullable().exactOptional(),
  delimiter: word,
  encoding: word,
  identify: z
    .array(z.strictObject({ column: text, as: text }))
    .max(100)
    .readonly()
    .exactOptional(),
  country: z.strictObject({ column: text.nullable(), default: text }).exactOptional(),
  key: word,
  rate: number,
  perStart: number,
  perDay: number,
  perMonth: number,
  /** Paths relative to the job file. */
  suppress: names.exactOptional(),
  price,
  people: z
    .strictObject({
      // Written first, so that `people` exists when empty lists are removed from it.
      maxPerCompany: z.number(),
      /** An empty list means all. */
      seniority: names,
      department: names,
    })
    .nullable()
    .exactOptional(),
});
export type JobChoices = z.output<typeof JobChoices>;

/** The same for a service of services.yaml. Limits are written as there: `500` or `100 AUD`. */
export const ServiceChoices = z.strictObject({
  name: text,
  price,
  rate: z
    .union([z.number(), z.literal('none')])
    .nullable()
    .exactOptional(),
  budget: z.partialRecord(z.enum(['perStart', 'perDay', 'perMonth']), text).exactOptional(),
});
export type ServiceChoices = z.output<typeof ServiceChoices>;

export interface JobPeople extends NonNullable<JobChoices['people']> {
  /** Only the job file can change position titles. */
  readonly positions: readonly string[];
}

export const RowsQuery = z.object({
  /** One line per person instead of one per row. */
  table: z.literal('people').optional(),
  /** Every word must occur in the row. Case and accents do not matter. */
  search: z.string().default(''),
  /** For each facet, a row must have one of the chosen values. */
  facets: z.record(z.string(), z.array(z.string()).readonly()).default({}),
  sort: z.string().optional(),
  descending: z.boolean().default(false),
  /** Unknown names are left out. */
  columns: z.array(z.string()).readonly().default([]),
  offset: z.int().min(0).default(0),
  limit: z.int().min(1).max(500).default(100),
  /** Exactly these rows, in this order. */
  numbers: z.array(z.int().min(1)).max(500).readonly().optional(),
  /** Columns of the list whose facet values are needed. */
  openFacets: z.array(z.string()).readonly().default([]),
});
export type RowsQuery = z.output<typeof RowsQuery>;
export type FacetChoice = RowsQuery['facets'];

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

export interface TableRow extends ReturnType<typeof rowFacts> {
  /** Aligned with the columns of the page. Very long cells are cut. */
  readonly cells: FlatRecord;
  /** Names of columns with a cut cell. */
  readonly cut?: readonly string[];
  /** The value that was certainly meant in a column. */
  readonly meant?: { readonly name: string; readonly value: string };
  /** Companies that its rejected name may mean, the likeliest first. */
  readonly suggestions?: readonly NameSuggestion[];
}

export const DownloadQuery = RowsQuery.extend({
  format: z.enum(['xlsx', 'csv', 'jsonl', 'parquet']),
  /** Row numbers and company ids are always added. */
  columns: z.array(z.string()).readonly(),
});
export type DownloadQuery = z.output<typeof DownloadQuery>;

export interface Download {
  readonly id: string;
  readonly name: string;
  readonly rows: number;
  readonly bytes: number;
}

/** Longer cells are cut in the row panel and refused as corrections. */
export const mostInRow = 100_000;

export const TypedCell = z.strictObject({
  /** Row number in the newest run. */
  number: z.int().min(1),
  header: z.string().max(10_000),
  value: z.string().max(mostInRow),
});
export type TypedCell = z.output<typeof TypedCell>;
