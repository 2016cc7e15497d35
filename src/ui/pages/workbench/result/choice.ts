import type { FacetChoice } from '../../../workbench/api.ts';
import { counted } from '../../parts/format.ts';

/** What the user has chosen to see. The address bar holds all of it, so reload and back work. */
export type Choice = ReturnType<typeof choiceIn>;

/** What stands in the address bar beside facets, whose names are those of columns. */
const others = [
  ...['people', 'search', 'sort', 'descending', 'preset', 'columns', 'row', 'page', 'size', 'fix'],
];

/** Rows that a page may have; 100 unless chosen. */
export const pageSizes = [50, 100, 250, 500];
const usualSize = 100;

export function choiceIn(params: URLSearchParams) {
  const facets = [...new Set(params.keys())]
    .filter((key) => !others.includes(key))
    .map((key) => [key, params.getAll(key)]);
  return {
    /** One line for each person, in place of one for each row. */
    isPeople: params.has('people'),
    search: params.get('search') ?? '',
    facets: Object.fromEntries(facets) as FacetChoice,
    sort: params.get('sort'),
    isDescending: params.has('descending'),
    /** Name of a preset; null is the first. */
    preset: params.get('preset'),
    /** Names in their order, in place of those of the preset; empty unless the user has changed them. */
    columns: params.getAll('columns') as readonly string[],
    /** The number of the row that is open. */
    row: wholeNumber(params.get('row')),
    /** The page of the table, from 1. */
    page: wholeNumber(params.get('page')) ?? 1,
    /** Rows of a page. */
    size: pageSizes.find((size) => String(size) === params.get('size')) ?? usualSize,
    isFixing: params.has('fix'),
  };
}

export function paramsOf(choice: Choice): URLSearchParams {
  const params = new URLSearchParams();
  const put = (name: string, value: Choice[keyof Choice], usual: typeof value) => {
    if (value !== usual) params.set(name, value === true ? '' : String(value));
  };
  put('people', choice.isPeople, false);
  put('fix', choice.isFixing, false);
  put('search', choice.search, '');
  for (const [name, values] of Object.entries(choice.facets)) {
    for (const value of values) params.append(name, value);
  }
  put('sort', choice.sort, null);
  put('descending', choice.sort !== null && choice.isDescending, false);
  put('preset', choice.preset, null);
  for (const column of choice.columns) params.append('columns', column);
  put('row', choice.row, null);
  put('page', choice.page, 1);
  put('size', choice.size, usualSize);
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

/** `204 rows`, `12 people` */
export function linesText(some: number, isPeople: boolean): string {
  return isPeople ? counted(some, 'person', 'people') : counted(some, 'row');
}
