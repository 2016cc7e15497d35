import { z } from 'zod';
import type { ColumnType } from '../../../core/columns/columns.ts';
import type { Match, RecordStatus } from '../../../core/rules/outcomes.ts';

/*
 * The rows of a run, as a table that is searched, sorted and filtered. Every request names the job by its
 * path in the folder (`job`) and may name a run (`run=r7`); without one it is about the newest.
 *
 *   POST api/columns?job&run RowsQuery → TableColumns: what may be shown
 *   POST api/rows?job&run RowsQuery    → RowsPage: one page of the table
 *   POST api/facets?job&run RowsQuery  → Facets: what it may be filtered by, with counts
 *   POST api/numbers?job&run RowsQuery → RowNumbers: the rows that fit, in their order
 *   GET  api/row?job&run&number        → WholeRow: all that is known of one row
 *
 * A run without rows is answered with 422 RUN_MISSING, a pruned one with 422 RUN_PRUNED.
 */

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

/** A value of a column: of the type of its column, or null. JSON and times are text. */
export type CellValue = string | number | boolean | readonly string[] | readonly number[] | null;

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
  /** Whether `sort` takes it. */
  readonly isSortable: boolean;
}

export interface TableColumns {
  /** `r7` */
  readonly run: string;
  /** Whether the job searches people: `table=people` then has a line for each. */
  readonly hasPeople: boolean;
  /** The list's own first, in its order, then ours, then the company's by groups. */
  readonly columns: readonly TableColumn[];
  /** The first is the default. */
  readonly presets: readonly ColumnPreset[];
}

export interface ColumnPreset {
  readonly name: string;
  readonly label: string;
  /** Names of columns, in their order. */
  readonly columns: readonly string[];
}

/** Rows that stay in view while they are fixed, whatever becomes of them. */
export interface RowNumbers {
  readonly index: IndexState | null;
  readonly numbers: readonly number[];
}

/** How far the index has come that answers search, sort and facets. */
export interface IndexState {
  /** Every row is in it, as the ledger had it a moment ago. */
  readonly isWhole: boolean;
  /** From 0 to 1: the rows that are in it. Rows that are not do not fit any search or facet. */
  readonly share: number;
  /** Why there is none, such as a full disk: only the plain table works. */
  readonly problem: string | null;
}

export interface RowsPage {
  /** `r7` */
  readonly run: string;
  /** Rows of the list. */
  readonly all: number;
  /** Rows that fit search and facets. */
  readonly total: number;
  /** Of the first row here. */
  readonly offset: number;
  readonly index: IndexState;
  /** What the cells of the rows are, in their order. */
  readonly columns: readonly TableColumn[];
  readonly rows: readonly TableRow[];
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
  /**
   * Aligned with the columns of the page. Of a very long cell there is the beginning, and at its end
   * `… (1,000,000 characters; a download has them all)`.
   */
  readonly cells: readonly CellValue[];
  /** Names of the columns whose cell is cut; not there where none is. */
  readonly cut?: readonly string[];
}

export interface Facets {
  readonly run: string;
  readonly index: IndexState;
  /** Only those that tell something of this run: no `changed` on the first night, no `size` before a hit. */
  readonly facets: readonly Facet[];
}

export interface Facet {
  readonly name: string;
  /** `Outcome`, `Matched by`, … */
  readonly label: string;
  /**
   * By count, the most frequent first; those that are chosen are always among them. Empty for a column of the list
   * that is not asked for in `open`.
   */
  readonly values: readonly FacetValue[];
}

export interface FacetValue {
  /** What a FacetChoice names. */
  readonly value: string;
  /** A sentence for a reason; otherwise the value, as the page knows what codes are called. */
  readonly label: string;
  /** Rows that fit the search and all other facets. */
  readonly count: number;
  readonly isChosen: boolean;
}
