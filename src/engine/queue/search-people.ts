import type { Counts } from '../../core/rules/outcomes.ts';
import {
  endOfSearch,
  endWithoutPage,
  isCompleteSearch,
  nextPage,
  type PeopleTerms,
  searchFilters,
  searchIndex,
} from '../../core/rules/people-search.ts';
import { jsonText } from '../../core/values/json-text.ts';
import { readAnswerJson } from '../../core/values/parse-json.ts';
import type { KnownAnswer } from '../ledger/calls/answers.ts';
import type { Search } from '../ledger/runs/searches.ts';
import type { Provider } from '../providers/provider.ts';
import { providerOf } from '../providers/providers.ts';
import type { QueueState } from './queue-state.ts';

/** One search after another, because `maxPerCompany` limits all of them together. */
export function startSearch(
  state: QueueState,
  company: Pick<Search, 'runId' | 'companyId' | 'country'>,
  index: number,
  serviceIndex: number,
) {
  const { ledger, terms, services } = state;
  const { people } = terms;
  const filters = people && searchFilters(people)[index];
  const asked = services.at(serviceIndex);
  if (!filters || !providerOf(asked).people) return;
  const serviceId = services.idOf(asked);
  const search = ledger.searches.open({ ...company, ...filters, serviceId });
  if (search) askForPage(state, search, 0, people, serviceIndex);
}

function askForPage(
  { ledger, run, terms, counts, services }: QueueState,
  search: Search,
  page: number,
  people: PeopleTerms,
  serviceIndex: number,
) {
  const call = nextPage(search, ledger.searches.receivedFor(search), people);
  const [callId = 0] = ledger.calls.idsOf(terms.services, [services.keyed(call, serviceIndex)]);
  const waiting = { runId: run.id, callId, searchId: search.id, page };
  counts.calls.open += ledger.calls.waitForPage(waiting).changes;
}

interface CompletedPage {
  readonly callId: number;
  readonly page: number;
  readonly answer: KnownAnswer;
  readonly body?: Buffer | undefined;
  readonly serviceIndex: number;
}

export function completePage(
  state: QueueState,
  { callId, page, answer, body, serviceIndex }: CompletedPage,
  searchId: number,
) {
  const { ledger, run, counts, terms, services } = state;
  const provider = providerOf(services.at(serviceIndex));
  const { searches } = ledger;
  const { people } = terms;
  if (!people) throw new Error(`${terms.job} searches no people`);
  ledger.outcomes.leave(run.id, [{ callId, rowId: 0 }]);
  const content = body && provider.people?.(readAnswerJson(body));
  const { people: found = [], total } = content ?? {};
  const added = content
    ? searches.addPage(
        searchId,
        found.map((person) => personKey(provider, person)),
        total,
      )
    : 0;
  counts.people += found.length;
  const search = searches.get(searchId);
  const receivedForCompany = searches.receivedFor(search);
  const { received } = search;
  const { maxPerCompany } = people;
  const pageLength = found.length;
  const end = content
    ? endOfSearch({ received, receivedForCompany, pageLength, added, total, maxPerCompany })
    : endWithoutPage(answer.result);
  if (end === undefined) {
    askForPage(state, search, page + 1, people, serviceIndex);
    return;
  }
  const next = searchIndex(people, search) + 1;
  const mayGoOn = receivedForCompany < maxPerCompany;
  const isComplete =
    isCompleteSearch({ end, total: search.total, found: searches.foundBy(searchId) }) &&
    // Skipped searches might find more people.
    (mayGoOn || next === people.searches.length);
  searches.end(searchId, end, isComplete);
  countSearch(counts, end === 'failed', isComplete);
  if (mayGoOn) startSearch(state, search, next, serviceIndex);
}

/** Without an id, all that the service says identifies a person. */
function personKey(provider: Provider, person: unknown) {
  const id = (provider.record(person) as { person_id?: unknown } | null)?.person_id;
  return typeof id === 'string' || typeof id === 'number' ? String(id) : jsonText(person);
}

export function countSearch(counts: Counts, hasFailed: boolean, isComplete: boolean): void {
  if (hasFailed) counts.failedSearches += 1;
  else if (!isComplete) counts.incompleteSearches += 1;
}
