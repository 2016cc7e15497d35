import type { Country } from '../contract/countries.ts';
import { type PeoplePage, readPeoplePage } from '../contract/people-answer.ts';
import { jsonText } from '../export/json-text.ts';
import type { KnownAnswer } from '../ledger/answers.ts';
import type { Search, SearchEnd, SearchFilters } from '../ledger/searches.ts';
import type { OpenTask, Source } from '../ledger/tasks.ts';
import { readAnswerJson } from '../runtime/answer-json.ts';
import type { RunContext } from './run-context.ts';
import { wantCall } from './want-call.ts';

/**
 * Opens the people searches of a company, once in a run however many rows found it. They follow
 * one another, so that `maxPerCompany` holds for the company and not for each search.
 */
export function openSearches(context: RunContext, companyId: string, country: Country): void {
  openNextSearch(context, { runId: context.run.id, companyId, country });
}

type CompanyOfRun = Pick<Search, 'runId' | 'companyId' | 'country'>;

function openNextSearch(context: RunContext, company: CompanyOfRun, after = -1): void {
  const { job, ledger } = context;
  if (!job.people) return;
  const filters = job.people.searches[after + 1];
  if (!filters) return;
  const { seniority = '', department = '', position = '' } = filters;
  const search = ledger.searches.open({ ...company, seniority, department, position });
  // Undefined: another row has found the same company before.
  if (search) wantPage(context, search, 0);
}

function wantPage(context: RunContext, search: Search, page: number): void {
  const { companyId, country, seniority, department, position, received } = search;
  const { pageSize = 0, maxPerCompany = 0 } = context.job.people ?? {};
  const left = maxPerCompany - context.ledger.searches.receivedFor(search);
  const size = String(Math.min(pageSize, left));
  const body: Record<string, string> = { companyId, selectedCountry: country };
  Object.assign(body, { from: String(received), size });
  if (seniority) body.seniority = seniority;
  if (department) body.department = department;
  if (position) body.position = position;
  wantCall(context, { operation: 'people', body }, { id: search.id, page });
}

/** A page of a search, and the answer that settles it. */
export interface SettledPage {
  readonly operation: 'people';
  readonly callId: number;
  readonly searchId: number;
  readonly page: number;
  readonly answer: KnownAnswer;
  /** Of a hit. It is read when its turn comes: a page may hold many people. */
  readonly body: Buffer | undefined;
  readonly source: Source;
}

export function pageOf(
  { callId, searchId, page }: OpenTask,
  known: Pick<SettledPage, 'answer' | 'source'>,
  body: SettledPage['body'],
): SettledPage {
  const place = { searchId: searchId ?? 0, page: page ?? 0 };
  return { operation: 'people', callId, ...place, ...known, body };
}

/** Stores what a page means for its search: the next page, or the end and the next search. */
export function settlePage(
  context: RunContext,
  { searchId, page, answer, body }: SettledPage,
): void {
  const { ledger, counts } = context;
  const before = ledger.searches.get(searchId);
  const content = body && readPeoplePage(readAnswerJson(body));
  const end = content ? addPage(context, before, content) : endWithout(answer);
  if (end === undefined) {
    wantPage(context, ledger.searches.get(searchId), page + 1);
    return;
  }
  ledger.searches.end(searchId, end);
  if (end === 'failed') counts.failedSearches += 1;
  if (ledger.searches.receivedFor(before) < (context.job.people?.maxPerCompany ?? 0)) {
    openNextSearch(context, before, placeOf(context, before));
  }
}

function addPage(
  { ledger, job, counts }: RunContext,
  search: Search,
  { people, total }: PeoplePage,
): SearchEnd | undefined {
  const added = ledger.searches.addPage(search.id, people.length, people.map(personKey));
  counts.people += people.length;
  return endOfSearch({
    received: search.received + people.length,
    receivedForCompany: ledger.searches.receivedFor(search),
    pageLength: people.length,
    longestBefore: search.longestPage,
    added,
    total,
    maxPerCompany: job.people?.maxPerCompany ?? 0,
  });
}

export interface PageFacts {
  readonly received: number;
  readonly receivedForCompany: number;
  readonly pageLength: number;
  readonly longestBefore: number;
  /** People of this page who were on no earlier page of the search. */
  readonly added: number;
  readonly total: number | undefined;
  readonly maxPerCompany: number;
}

/**
 * Why a search ends with this page; undefined when it goes on. A short page alone is no end: the
 * service may give fewer than we ask for. A page shorter than an earlier one is, unless the service
 * says that there are more.
 */
export function endOfSearch(page: PageFacts): SearchEnd | undefined {
  if (page.pageLength === 0) return 'empty_page';
  if (page.added === 0) return 'no_new_person';
  if (page.total !== undefined && page.received >= page.total) return 'total';
  if (page.receivedForCompany >= page.maxPerCompany) return 'max_per_company';
  if (page.total !== undefined) return undefined;
  return page.pageLength < page.longestBefore ? 'short_page' : undefined;
}

function endWithout(answer: KnownAnswer): SearchEnd {
  return answer.outcome === 'failed' || answer.outcome === 'invalid' ? 'failed' : 'not_found';
}

/** A person without an id is told apart by all that is known of them. */
function personKey(person: unknown): string {
  const id = (person as { person_id?: unknown } | null)?.person_id;
  return typeof id === 'string' || typeof id === 'number' ? String(id) : jsonText(person);
}

/** Which of the job's searches this is. */
export function placeOf({ job }: Pick<RunContext, 'job'>, search: SearchFilters): number {
  return (job.people?.searches ?? []).findIndex(
    ({ seniority = '', department = '', position = '' }) =>
      seniority === search.seniority &&
      department === search.department &&
      position === search.position,
  );
}
