import type { Country } from '../contract/countries.ts';
import { type PeoplePage, readPeoplePage } from '../contract/people-answer.ts';
import type { Search } from '../ledger/runs/searches.ts';
import {
  endOfSearch,
  endWithoutPage,
  isCompleteSearch,
  nextPage,
  type SearchEnd,
  searchFilters,
  searchIndex,
} from '../rules/people-search.ts';
import { jsonText } from '../runtime/json/json-text.ts';
import { readAnswerJson } from '../runtime/json/parse-json.ts';
import type { CompletedCall } from './complete-calls.ts';
import type { QueueState } from './queue-state.ts';
import { wantPage } from './want-calls.ts';

/**
 * Opens the people searches of a company, once in a run however many rows found it. They follow
 * one another, so that `maxPerCompany` holds for the company and not for each search.
 */
export function openSearches(state: QueueState, companyId: string, country: Country): void {
  openSearch(state, { runId: state.run.id, companyId, country }, 0);
}

type CompanyOfRun = Pick<Search, 'runId' | 'companyId' | 'country'>;

function openSearch(state: QueueState, company: CompanyOfRun, index: number): void {
  const { people } = state.terms;
  const filters = people && searchFilters(people)[index];
  if (!filters) return;
  const search = state.ledger.searches.open({ ...company, ...filters });
  // Undefined: another row has found the same company before.
  if (search) askForPage(state, search, 0);
}

function askForPage(state: QueueState, search: Search, page: number): void {
  const { people } = state.terms;
  if (!people) throw new Error(`search ${search.id} belongs to a job that searches no people`);
  const received = state.ledger.searches.receivedFor(search);
  wantPage(state, nextPage(search, received, people), search.id, page);
}

/** Stores what a page means for its search: the next page, or the end and the next search. */
export function completePage(
  state: QueueState,
  { callId, searchId, page, answer, body }: CompletedCall,
): void {
  const { ledger, run, counts, terms } = state;
  if (searchId === null) throw new Error(`call ${callId} is not a page of a search`);
  ledger.outcomes.leave(run.id, [{ callId, rowId: 0 }]);
  const before = ledger.searches.get(searchId);
  const content = body && readPeoplePage(readAnswerJson(body));
  const end = content ? addPage(state, before, content) : endWithoutPage(answer.outcome);
  if (end === undefined) {
    askForPage(state, ledger.searches.get(searchId), page + 1);
    return;
  }
  const { people } = terms;
  if (!people) throw new Error(`search ${searchId} belongs to a job that searches no people`);
  const next = searchIndex(people, before) + 1;
  const mayGoOn = ledger.searches.receivedFor(before) < people.maxPerCompany;
  const { total } = ledger.searches.get(searchId);
  const isComplete =
    isCompleteSearch({ end, total, found: ledger.searches.foundBy(searchId) }) &&
    // The searches that maxPerCompany leaves out might find others.
    (mayGoOn || next === people.searches.length);
  ledger.searches.end(searchId, end, isComplete);
  if (end === 'failed') counts.failedSearches += 1;
  else if (!isComplete) counts.incompleteSearches += 1;
  if (mayGoOn) openSearch(state, before, next);
}

function addPage(
  { ledger, terms, counts }: QueueState,
  search: Search,
  { people, total }: PeoplePage,
): SearchEnd | undefined {
  const added = ledger.searches.addPage(search.id, { personIds: people.map(personKey), total });
  counts.people += people.length;
  return endOfSearch({
    received: search.received + people.length,
    receivedForCompany: ledger.searches.receivedFor(search),
    pageLength: people.length,
    added,
    total,
    maxPerCompany: terms.people?.maxPerCompany ?? 0,
  });
}

/** A person without an id is told apart by all that is known of them. */
function personKey(person: unknown): string {
  const id = (person as { person_id?: unknown } | null)?.person_id;
  return typeof id === 'string' || typeof id === 'number' ? String(id) : jsonText(person);
}
