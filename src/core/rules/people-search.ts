import type { CallRequest } from '../contract/call.ts';
import type { Country } from '../contract/countries.ts';
import type { Outcome } from './outcomes.ts';

/** The people searches that a job makes for each company it finds. */
export interface PeopleTerms {
  readonly searches: readonly {
    readonly seniority: string | undefined;
    readonly department: string | undefined;
    readonly position: string | undefined;
  }[];
  readonly pageSize: number;
  /** Holds for a company over all of its searches. */
  readonly maxPerCompany: number;
}

/** What ended a search, besides the last page. */
export type SearchEnd =
  | 'empty_page'
  | 'no_new_person'
  | 'total'
  | 'max_per_company'
  | 'not_found'
  | 'failed';

/** '' stands for a filter that is not set. */
export interface SearchFilters {
  readonly seniority: string;
  readonly department: string;
  readonly position: string;
}

/** A search of one company, as far as it has come. */
export interface SearchSoFar extends SearchFilters {
  readonly companyId: string;
  readonly country: Country;
  /** People received so far: where the next page begins. */
  readonly received: number;
}

/** The filters of the job's searches as the ledger keeps them: '' for one that is not set. */
export function searchFilters({ searches }: PeopleTerms): SearchFilters[] {
  return searches.map(({ seniority = '', department = '', position = '' }) => ({
    ...{ seniority, department, position },
  }));
}

/** Which of the job's searches this is, from 0; -1 where it is none of them. */
export function searchIndex(people: PeopleTerms, search: SearchFilters): number {
  return searchFilters(people).findIndex(
    ({ seniority, department, position }) =>
      seniority === search.seniority &&
      department === search.department &&
      position === search.position,
  );
}

/** The call for the next page of a search. `received` counts the company's people so far. */
export function nextPage(search: SearchSoFar, received: number, people: PeopleTerms): CallRequest {
  const { companyId, country, seniority, department, position } = search;
  const size = Math.min(people.pageSize, people.maxPerCompany - received);
  const body: Record<string, string> = { companyId, selectedCountry: country };
  Object.assign(body, { from: String(search.received), size: String(size) });
  if (seniority) body.seniority = seniority;
  if (department) body.department = department;
  if (position) body.position = position;
  return { operation: 'people', body };
}

export interface PageFacts {
  /** People received by the search, this page included. */
  readonly received: number;
  readonly receivedForCompany: number;
  readonly pageLength: number;
  /** People of this page who were on no earlier page of the search. */
  readonly added: number;
  readonly total: number | undefined;
  readonly maxPerCompany: number;
}

/**
 * Why a search ends with this page; undefined when it goes on. A short page is no end: the service may
 * give fewer than we ask for, and fewer than on the page before.
 */
export function endOfSearch(page: PageFacts): SearchEnd | undefined {
  if (page.pageLength === 0) return 'empty_page';
  if (page.added === 0) return 'no_new_person';
  if (page.total !== undefined && page.received >= page.total) return 'total';
  return page.receivedForCompany >= page.maxPerCompany ? 'max_per_company' : undefined;
}

/** Whether a search has certainly brought everybody whom the service knows. */
export function isCompleteSearch({
  end,
  found,
  total,
}: {
  readonly end: SearchEnd;
  /** Different people that the search has found. */
  readonly found: number;
  /** The most that a page has told of; null where none did. */
  readonly total: number | null;
}): boolean {
  switch (end) {
    case 'empty_page':
    case 'not_found':
    case 'total':
      return total === null || found >= total;
    case 'no_new_person':
    case 'max_per_company':
      // Others may stand behind the same people, or behind those that were wanted.
      return total !== null && found >= total;
    case 'failed':
      return false;
  }
}

/** Why a search ends with an answer that holds no page. */
export function endWithoutPage(outcome: Outcome): SearchEnd {
  return outcome === 'miss' || outcome === 'hit' ? 'not_found' : 'failed';
}

export interface SearchesAhead {
  /** Searches that one company has before it, the one under way included. */
  readonly searches: number;
  readonly pageSize: number;
  /** People that may still be received before `maxPerCompany` is reached; at least one. */
  readonly people: number;
}

/**
 * The most calls that the searches of one company can take, however small the pages are that the
 * service gives: every page but the last of a search brings a person.
 */
export function mostPages({ searches, people }: SearchesAhead): number {
  return searches + people - 1;
}

/**
 * The most calls for a service that fills every page while it has more people, and tells no total: an
 * empty page ends each search. The dearest case is one person in each search, and in the last one all
 * others but one, so that it is not ended by their number.
 */
export function mostFullPages({ searches, pageSize, people }: SearchesAhead): number {
  if (searches >= people) return mostPages({ searches, pageSize, people });
  return 2 * searches - 1 + Math.ceil((people - searches) / pageSize);
}
