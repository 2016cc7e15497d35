import type { Call } from '../contract/call.ts';
import type { Country } from '../contract/countries.ts';
import type { CallResultKind } from './outcomes.ts';

export interface PeopleTerms {
  readonly searches: readonly {
    readonly seniority: string | undefined;
    readonly department: string | undefined;
    readonly position: string | undefined;
  }[];
  readonly pageSize: number;
  /** Over all searches of the company. */
  readonly maxPerCompany: number;
}

export type SearchEnd =
  | 'empty_page'
  | 'no_new_person'
  | 'total'
  | 'max_per_company'
  | 'not_found'
  | 'failed';

/** An empty text means no filter. */
export interface SearchFilters {
  readonly seniority: string;
  readonly department: string;
  readonly position: string;
}

export interface SearchSoFar extends SearchFilters {
  readonly companyId: string;
  readonly country: Country;
  readonly received: number;
}

export function searchFilters({ searches }: PeopleTerms): SearchFilters[] {
  return searches.map(({ seniority = '', department = '', position = '' }) => ({
    seniority,
    department,
    position,
  }));
}

export function searchIndex(people: PeopleTerms, search: SearchFilters): number {
  return searchFilters(people).findIndex(
    ({ seniority, department, position }) =>
      seniority === search.seniority &&
      department === search.department &&
      position === search.position,
  );
}

export function nextPage(search: SearchSoFar, received: number, people: PeopleTerms): Call {
  const { companyId, country, seniority, department, position } = search;
  const size = Math.min(people.pageSize, people.maxPerCompany - received);
  return {
    operation: 'people',
    companyId,
    country,
    from: search.received,
    size,
    ...(seniority && { seniority }),
    ...(department && { department }),
    ...(position && { position }),
  };
}

export interface PageFacts {
  readonly received: number;
  readonly receivedForCompany: number;
  readonly pageLength: number;
  readonly added: number;
  readonly total: number | undefined;
  readonly maxPerCompany: number;
}

/** A short page does not end a search: the service may return fewer people on any page. */
export function endOfSearch(page: PageFacts): SearchEnd | undefined {
  if (page.pageLength === 0) return 'empty_page';
  if (page.added === 0) return 'no_new_person';
  if (page.total !== undefined && page.received >= page.total) return 'total';
  return page.receivedForCompany >= page.maxPerCompany ? 'max_per_company' : undefined;
}

export function isCompleteSearch({
  end,
  found,
  total,
}: {
  readonly end: SearchEnd;
  readonly found: number;
  readonly total: number | null;
}): boolean {
  switch (end) {
    case 'empty_page':
    case 'not_found':
    case 'total':
      return total === null || found >= total;
    case 'no_new_person':
    case 'max_per_company':
      // Without a total, there may be more people.
      return total !== null && found >= total;
    case 'failed':
      return false;
  }
}

export function endWithoutPage(result: CallResultKind): SearchEnd {
  return result === 'miss' || result === 'hit' ? 'not_found' : 'failed';
}

export interface SearchesAhead {
  readonly searches: number;
  readonly pageSize: number;
  /** How many more people may be found before `maxPerCompany` is reached; at least 1. */
  readonly people: number;
}

/**
 * Worst case if the service fills its pages: each search finds one person, except one search that
 * finds all the others, and each search ends with an empty page.
 */
export function mostFullPages({ searches, pageSize, people }: SearchesAhead): number {
  if (searches >= people) return searches + people - 1;
  return 2 * searches - 1 + Math.ceil((people - searches) / pageSize);
}

/** If no search finds a person, or the first pages are full. */
export function leastPages({ searches, pageSize, people }: SearchesAhead): number {
  return Math.min(searches, Math.ceil(people / pageSize));
}
