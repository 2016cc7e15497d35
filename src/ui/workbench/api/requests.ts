import { z } from 'zod';

/*
 * What the page asks. `job` is a path in the folder, and a missing `run` means the newest run.
 */

/** Stored in `output/workbench.json`. */
export const WorkbenchSettings = z.object({
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
  confirmAbove: number,
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

export const DownloadQuery = RowsQuery.extend({
  format: z.enum(['xlsx', 'csv', 'jsonl', 'parquet']),
  /** Row numbers and company ids are always added. */
  columns: z.array(z.string()).readonly(),
});
export type DownloadQuery = z.output<typeof DownloadQuery>;

/** Longer cells are cut in the row panel and refused as corrections. */
export const mostInRow = 100_000;

export const TypedCell = z.strictObject({
  /** Row number in the newest run. */
  number: z.int().min(1),
  header: z.string().max(10_000),
  value: z.string().max(mostInRow),
});
export type TypedCell = z.output<typeof TypedCell>;
