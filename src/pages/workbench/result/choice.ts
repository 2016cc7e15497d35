import type { FacetChoice, FacetName } from '../../../workbench/api/rows.ts';

/** What the user has chosen to see. The address bar holds all of it, so that reload and back work. */
export interface Choice {
  readonly search: string;
  readonly facets: FacetChoice;
  readonly sort: string | null;
  readonly isDescending: boolean;
  /** Name of a preset; null is the first. */
  readonly preset: string | null;
  /** Columns beside those of the preset. */
  readonly added: readonly string[];
  /** Columns of the preset that are not shown. A list may have so many that no address could name the others. */
  readonly removed: readonly string[];
  /** The number of the row that is open. */
  readonly row: number | null;
  /** Where that row stands in the table as it is sorted and narrowed, from 0. */
  readonly at: number | null;
}

const facetNames: readonly FacetName[] = [
  ...(['status', 'reason', 'foundBy', 'country', 'size', 'industry'] as const),
  ...(['stale', 'mismatch', 'changed'] as const),
];

export function choiceIn(params: URLSearchParams): Choice {
  const facets = facetNames
    .map((name) => [name, params.getAll(name)] as const)
    .filter(([, values]) => values.length > 0);
  return {
    search: params.get('search') ?? '',
    facets: Object.fromEntries(facets),
    sort: params.get('sort'),
    isDescending: params.has('descending'),
    preset: params.get('preset'),
    added: params.getAll('with'),
    removed: params.getAll('without'),
    row: wholeNumber(params.get('row'), 1),
    at: wholeNumber(params.get('at'), 0),
  };
}

export function paramsOf(choice: Choice): URLSearchParams {
  const params = new URLSearchParams();
  if (choice.search !== '') params.set('search', choice.search);
  for (const name of facetNames) {
    for (const value of choice.facets[name] ?? []) params.append(name, value);
  }
  if (choice.sort !== null) params.set('sort', choice.sort);
  if (choice.sort !== null && choice.isDescending) params.set('descending', '');
  if (choice.preset !== null) params.set('preset', choice.preset);
  for (const column of choice.added) params.append('with', column);
  for (const column of choice.removed) params.append('without', column);
  if (choice.row !== null) params.set('row', String(choice.row));
  if (choice.row !== null && choice.at !== null) params.set('at', String(choice.at));
  return params;
}

/** A user may type anything into the address bar. */
function wholeNumber(text: string | null, least: number): number | null {
  const value = Number(text ?? Number.NaN);
  return Number.isSafeInteger(value) && value >= least ? value : null;
}

/** Whether the table shows other rows than all of the list, or in another order. */
export function isNarrowed({ search, facets }: Pick<Choice, 'search' | 'facets'>): boolean {
  return search !== '' || Object.keys(facets).length > 0;
}

/** The facets with a value chosen that was not, or no longer chosen. */
export function toggled(facets: FacetChoice, name: FacetName, value: string): FacetChoice {
  const before = facets[name] ?? [];
  const values = before.includes(value)
    ? before.filter((one) => one !== value)
    : [...before, value];
  const { [name]: _, ...others } = facets;
  return values.length === 0 ? others : { ...others, [name]: values };
}
