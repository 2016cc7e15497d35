import type { Ledger } from '../../ledger/open-ledger.ts';
import type { OpenSearches } from '../../ledger/runs/planning.ts';
import { mostFullPages, mostPages, type SearchesAhead } from '../../rules/most-pages.ts';
import { type PeopleTerms, searchIndex } from '../../rules/people-search.ts';
import type { Fallbacks } from './open-fallbacks.ts';

/** Calls from the fewest to the most; `mostIfFull` is the most where the service fills its pages. */
export interface CallRange {
  readonly least: number;
  readonly mostIfFull: number;
  readonly most: number;
}

export interface PlannedCalls extends CallRange {
  /** Company lookups that have to be made now, one for each distinct question. */
  readonly companies: number;
  /** Company lookups that come up when those find nothing. */
  readonly fallbacks: number;
  /** Pages of people searches. */
  readonly pages: CallRange;
}

/**
 * Counts the calls of a planned run whose cache hits are complete. The fewest are those that are open
 * now. For the most, every fallback is asked, every company is found all the same, and every search
 * goes on to `maxPerCompany`.
 */
export function countCalls(
  { planning }: Pick<Ledger, 'planning'>,
  runId: number,
  people: PeopleTerms | undefined,
  openFallbacks: () => Fallbacks,
): PlannedCalls {
  const companies = planning.openCompanyCalls(runId);
  const rows = planning.distinctOpenRows(runId);
  const fallbacks = openFallbacks();
  // A row finds one company at most, and so does a call.
  const found = Math.min(rows, companies + fallbacks.asked + fallbacks.cached);
  const pages = people ? countPages(people, planning.openSearches(runId), found) : noCalls;
  const lookups = companies + fallbacks.asked;
  return {
    companies,
    fallbacks: fallbacks.asked,
    pages,
    least: companies + pages.least,
    mostIfFull: lookups + pages.mostIfFull,
    most: lookups + pages.most,
  };
}

const noCalls: CallRange = { least: 0, mostIfFull: 0, most: 0 };

function countPages(
  people: PeopleTerms,
  open: readonly OpenSearches[],
  companiesToFind: number,
): CallRange {
  const { pageSize, maxPerCompany } = people;
  const ahead = { searches: people.searches.length, pageSize, people: maxPerCompany };
  let range = multiply(ahead, companiesToFind);
  let least = 0;
  for (const { companies, received, ...filters } of open) {
    // Its next page is open, so one call is certain.
    least += companies;
    const left = {
      searches: people.searches.length - searchIndex(people, filters),
      pageSize,
      people: Math.max(1, maxPerCompany - received),
    };
    range = add(range, multiply(left, companies));
  }
  return { least, ...range };
}

type Most = Omit<CallRange, 'least'>;

function multiply(ahead: SearchesAhead, companies: number): Most {
  return { mostIfFull: mostFullPages(ahead) * companies, most: mostPages(ahead) * companies };
}

function add(one: Most, other: Most): Most {
  return { mostIfFull: one.mostIfFull + other.mostIfFull, most: one.most + other.most };
}
