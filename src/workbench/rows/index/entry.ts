import { type Column, positionOf } from '../../../records/columns.ts';
import type { FlatRow } from '../../../records/flatten-row.ts';
import type { FacetChoice, FacetName } from '../../api/rows.ts';
import { fold, wordsOf } from './fold.ts';
import { cellKey, cellKeyName, type SortKey, sortKeys } from './sort-keys.ts';

/** What the index holds of a row. */
export interface Entry {
  readonly number: number;
  /** What is searched, a line for each value: the row's key, its own cells, then what was found. */
  readonly text: string;
  /** In the order of `keyNames`. */
  readonly keys: readonly SortKey[];
  readonly facets: Readonly<Record<FacetName, readonly string[]>>;
}

/** What is searched besides the row's key and its own cells. */
const searched = [
  'identifier',
  'company_id',
  'company_name',
  'company_fqdn',
  'company_network',
  'company_hq_location',
  'company_industry_codes_abn',
  'company_industry_codes_acn',
  'company_industry_codes_nzbn',
  'company_industry_codes_uen',
];

/** The line of the text with a cell of the list. */
export const lineOfCell = (position: number) => 1 + position;

/** Makes entries of rows whose records have these columns. */
export function entryMaker(columns: readonly Column[]) {
  const at = (name: string) => positionOf(columns, name);
  const searchedAt = searched.map(at);
  const keysAt = Object.entries(sortKeys).map(([name, keyOf]) => ({ at: at(name), keyOf }));
  const [sizeAt, industriesAt] = [at('company_company_size'), at('company_industries')];
  return ({ row, cells }: FlatRow, width: number, isChanged: boolean): Entry => {
    const own = Array.from({ length: width }, (_, index) => fold(row.cells[index] ?? ''));
    const found = searchedAt.map((position) => fold(String(cells[position] ?? '')));
    const size = cells[sizeAt];
    const industries = cells[industriesAt];
    return {
      number: row.number,
      text: [fold(row.key), ...own, ...found].join('\n'),
      keys: [
        ...keysAt.map(({ at: position, keyOf }) => keyOf(cells[position] ?? null)),
        ...own.filter((_, index) => cellKeyName(index) !== undefined).map(cellKey),
      ],
      facets: {
        status: [row.status],
        reason: valuesOf(row.reason),
        foundBy: valuesOf(row.matchedBy),
        country: valuesOf(row.country),
        size: valuesOf(typeof size === 'string' ? size : null),
        industry: Array.isArray(industries) ? [...new Set(industries.map(String))] : [],
        stale: flag(row.isStale),
        mismatch: flag(isMismatch(row)),
        changed: flag(isChanged),
      },
    };
  };
}

/** Whether an entry has all words and the chosen facets, as the index finds it by. */
export function fitTest(
  search: string,
  chosen: FacetChoice,
): (entry: Pick<Entry, 'text' | 'facets'>) => boolean {
  const words = wordsOf(search);
  const wanted = (Object.keys(chosen) as FacetName[]).flatMap((name) => {
    const values = new Set(chosen[name]);
    return values.size === 0 ? [] : [{ name, values }];
  });
  return ({ text, facets }) =>
    words.every((word) => text.includes(word)) &&
    wanted.every(({ name, values }) => facets[name].some((value) => values.has(value)));
}

/** A company with another identifier, which the job keeps or not. */
export function isMismatch({ match, reason }: Pick<FlatRow['row'], 'match' | 'reason'>): boolean {
  return match === 'mismatch' || reason === 'mismatch';
}

function valuesOf(value: string | null): string[] {
  return value === null || value === '' ? [] : [value];
}

function flag(isSo: boolean): string[] {
  return isSo ? ['yes'] : [];
}
