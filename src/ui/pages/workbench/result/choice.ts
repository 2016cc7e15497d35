import { counted } from '../../../../core/values/format.ts';
import type { FacetChoice } from '../../../workbench/api/requests.ts';

/** What the result table shows. Stored in the URL. */
export type Choice = ReturnType<typeof choiceIn>;

const notFacets = 'people search sort descending preset columns row page size fix'.split(' ');

export const pageSizes = [50, 100, 250, 500];
export const usualSize = 100;

export function choiceIn(params: URLSearchParams) {
  const facets = [...new Set(params.keys())]
    .filter((key) => !notFacets.includes(key))
    .map((key) => [key, params.getAll(key)]);
  return {
    isPeople: params.has('people'),
    search: params.get('search') ?? '',
    facets: Object.fromEntries(facets) as FacetChoice,
    sort: params.get('sort'),
    isDescending: params.has('descending'),
    /** Null for the first preset. */
    preset: params.get('preset'),
    /** Replaces the preset; empty unless the user changed columns. */
    columns: params.getAll('columns') as readonly string[],
    row: wholeNumber(params.get('row')),
    page: wholeNumber(params.get('page')) ?? 1,
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

/** Users may type anything into the address bar. */
function wholeNumber(text: string | null) {
  const value = Number(text ?? Number.NaN);
  return Number.isSafeInteger(value) && value >= 1 ? value : null;
}

export function queryOf({ isPeople, search, facets, sort, isDescending }: Choice) {
  const sorted = sort !== null && { sort, descending: isDescending };
  return { ...(isPeople && { table: 'people' as const }), search, facets, ...sorted };
}

export function isNarrowed({ search, facets }: Choice): boolean {
  return search !== '' || Object.keys(facets).length > 0;
}

export function linesText(some: number, isPeople: boolean): string {
  return isPeople ? counted(some, 'person', 'people') : counted(some, 'row');
}
