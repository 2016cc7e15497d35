import type { Cell } from '../../../records/columns.ts';
import { fold } from './fold.ts';

/** What the index sorts by: null for a cell without a value. */
export type SortKey = string | number | null;

const asText = (cell: Cell): SortKey => {
  const text = cell === null ? '' : fold(String(cell));
  return text === '' ? null : text;
};
const asNumber = (cell: Cell): SortKey => (cell === null ? null : Number(cell));
const asTime = (cell: Cell): SortKey => (cell === null ? null : Date.parse(String(cell)));

/** `11-50` is 11, `1,001-5,000` is 1001: bands are sorted by where they begin. */
const asBand = (cell: Cell): SortKey => {
  const [digits] = /\d+/.exec(String(cell ?? '').replaceAll(/[,\s]/g, '')) ?? [];
  return digits === undefined ? null : Number(digits);
};

/** The columns of companies.* that the index has keys of, besides those of the list. */
export const sortKeys: Readonly<Record<string, (cell: Cell) => SortKey>> = {
  row_number: asNumber,
  row_key: asText,
  status: asText,
  reason: asText,
  matched_by: asText,
  identifier: asText,
  match: asText,
  country: asText,
  fetched_at: asTime,
  stale: asNumber,
  changed_at: asTime,
  people_complete: asNumber,
  company_name: asText,
  company_fqdn: asText,
  company_employee_count: asNumber,
  company_year_founded: asNumber,
  company_hq_location: asText,
  company_hq_country: asText,
  company_company_size: asBand,
  company_company_type: asText,
};

/** Columns of the list that the index has keys of. The others are sorted by the texts, at twice the time. */
const mostCellKeys = 50;

/** Of a column of the list, by its position; undefined where there is none. */
export function cellKeyName(position: number): string | undefined {
  return position < mostCellKeys ? `cell_${position}` : undefined;
}

/** The keys of a list with so many columns, in the order in which an entry has them. */
export function keyNames(width: number): string[] {
  const ofCells = Array.from({ length: width }, (_, at) => cellKeyName(at) ?? []);
  return [...Object.keys(sortKeys), ...ofCells.flat()];
}

const numberText = /^-?\d{1,15}(?:\.\d{1,15})?$/;

/** Of a folded cell of the list: numbers are sorted as such, and come before texts. */
export function cellKey(folded: string): SortKey {
  if (folded === '') return null;
  return numberText.test(folded) ? Number(folded) : folded;
}
