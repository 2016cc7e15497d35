import { mostFullPages, mostPages, type SearchesAhead } from './most-pages.ts';
import type { Fallbacks } from './open-fallbacks.ts';
import type { RunContext } from './run-context.ts';
import { placeOf } from './search-people.ts';

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
 * Counts the calls of a drafted run in which everything at hand is settled. The fewest are those
 * that are open now. For the most, every fallback is asked, every company is found all the same, and
 * every search goes on to `maxPerCompany`.
 */
export function planCalls(draft: RunContext, openFallbacks: () => Fallbacks): PlannedCalls {
  const { planning } = draft.ledger;
  const companies = planning.openCompanyCalls(draft.run.id);
  const rows = planning.distinctOpenRows(draft.run.id);
  const fallbacks = openFallbacks();
  // A row finds one company at most, and so does a call.
  const found = Math.min(rows, companies + fallbacks.asked + fallbacks.atHand);
  const pages = planPages(draft, found);
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

function planPages(draft: RunContext, companiesToFind: number): CallRange {
  const { people } = draft.job;
  if (!people) return { least: 0, mostIfFull: 0, most: 0 };
  const { pageSize, maxPerCompany } = people;
  const ahead = { searches: people.searches.length, pageSize, people: maxPerCompany };
  let range = multiply(ahead, companiesToFind);
  let least = 0;
  for (const { companies, received, ...filters } of draft.ledger.planning.openSearches(
    draft.run.id,
  )) {
    // Its next page is open, so one call is certain.
    least += companies;
    const left = {
      searches: people.searches.length - placeOf(draft, filters),
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
