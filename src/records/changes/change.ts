import type { Country } from '../../contract/countries.ts';

/** What can happen to a row, its company or a person between two runs, the list first. */
export const changeOps = [
  'row_added',
  'row_removed',
  'company_found',
  'company_lost',
  'company_replaced',
  'company_changed',
  'person_joined',
  'person_left',
  'person_changed',
] as const;
export type ChangeOp = (typeof changeOps)[number];

export type ChangeCounts = Record<ChangeOp, number>;

/** Cells by the names of their columns. A JSON cell is the value that its text holds. */
export type NamedCells = Readonly<Record<string, unknown>>;

/** One thing that differs between two runs of a job; a record of changes.*. */
export interface Change {
  readonly op: ChangeOp;
  /** Of a person: the first row that led to the company. */
  readonly rowKey: string;
  /** In the later run; of a removed row, in the earlier one. */
  readonly rowNumber: number | null;
  readonly companyId: string | null;
  readonly companyName: string | null;
  readonly country: Country | null;
  readonly personId: string | null;
  /** Columns that differ; none where a whole record came or went. */
  readonly columns: readonly string[];
  /** Null where the record is new. */
  readonly before: NamedCells | null;
  /** Null where the record is gone. */
  readonly after: NamedCells | null;
  readonly beforeFetchedAt: string | null;
  readonly afterFetchedAt: string | null;
}

export function noChanges(): ChangeCounts {
  return Object.fromEntries(changeOps.map((op) => [op, 0])) as ChangeCounts;
}
