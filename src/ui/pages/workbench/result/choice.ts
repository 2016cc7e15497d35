import type { FacetChoice } from '../../../workbench/api/rows.ts';

/** What the user has chosen to see. The address bar holds all of it, so reload and back work. */
export interface Choice {
  /** One line for each person, in place of one for each row. */
  readonly isPeople: boolean;
  readonly search: string;
  readonly facets: FacetChoice;
  readonly sort: string | null;
  readonly isDescending: boolean;
  /** Name of a preset; null is the first. */
  readonly preset: string | null;
  /** Names in their order, in place of those of the preset; empty unless the user has changed them. */
  readonly columns: readonly string[];
  /** The number of the row that is open. */
  readonly row: number | null;
  /** The page of the table, from 1. */
  readonly page: number;
  /** Rows of a page. */
  readonly size: number;
  readonly isFixing: boolean;
}

/** What stands in the address bar beside facets, whose names are those of columns. */
const others = [
  'people',
  'search',
  'sort',
  'descending',
  'preset',
  'columns',
  'row',
  'page',
  'size',
  'fix',
];

/** Rows that a page may have; 100 unless chosen. */
export const pageSizes = [50, 100, 250, 500];
const usualSize = 100;

export function choiceIn(params: URLSearchParams): Choice {
  const facets = [...new Set(params.keys())]
    .filter((key) => !others.includes(key))
    .map((key) => [key, params.getAll(key)]);
  return {
    isPeople: params.has('people'),
    search: params.get('search') ?? '',
    facets: Object.fromEntries(facets),
    sort: params.get('sort'),
    isDescending: params.has('descending'),
    preset: params.get('preset'),
    columns: params.getAll('columns'),
    row: wholeNumber(params.get('row')),
    page: wholeNumber(params.get('page')) ?? 1,
    size: pageSizes.find((size) => String(size) === params.get('size')) ?? usualSize,
    isFixing: params.has('fix'),
  };
}

export function paramsOf(choice: Choice): URLSearchParams {
  const params = new URLSearchParams();
  if (choice.isPeople) params.set('people', '');
  if (choice.isFixing) params.set('fix', '');
  if (choice.search !== '') params.set('search', choice.search);
  for (const [name, values] of Object.entries(choice.facets)) {
    for (const value of values) params.append(name, value);
  }
  if (choice.sort !== null) params.set('sort', choice.sort);
  if (choice.sort !== null && choice.isDescending) params.set('descending', '');
  if (choice.preset !== null) params.set('preset', choice.preset);
  for (const column of choice.columns) params.append('columns', column);
  if (choice.row !== null) params.set('row', String(choice.row));
  if (choice.page !== 1) params.set('page', String(choice.page));
  if (choice.size !== usualSize) params.set('size', String(choice.size));
  return params;
}

/** A user may type anything into the address bar. */
function wholeNumber(text: string | null): number | null {
  const value = Number(text ?? Number.NaN);
  return Number.isSafeInteger(value) && value >= 1 ? value : null;
}

/** Whether the table shows other rows than all of the list. */
export function isNarrowed({ search, facets }: Pick<Choice, 'search' | 'facets'>): boolean {
  return search !== '' || Object.keys(facets).length > 0;
}

/** The facets with a value chosen that was not, or no longer chosen. */
export function toggled(facets: FacetChoice, name: string, value: string): FacetChoice {
  const { [name]: before = [], ...rest } = facets;
  const values = before.includes(value)
    ? before.filter((one) => one !== value)
    : [...before, value];
  return values.length === 0 ? rest : { ...rest, [name]: values };
}
