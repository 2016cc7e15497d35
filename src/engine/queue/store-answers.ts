import type { CallRequest, CompanyCall } from '../../core/contract/call.ts';
import { aliasCalls, matchCompany, readIdentity } from '../../core/rules/company-identity.ts';
import {
  laterCandidates,
  type NextCandidate,
  type WaitingRow,
} from '../../core/rules/next-candidate.ts';
import { countedAs } from '../../core/rules/outcomes.ts';
import {
  endOfSearch,
  endWithoutPage,
  isCompleteSearch,
  nextPage,
  type PeopleTerms,
  searchFilters,
  searchIndex,
} from '../../core/rules/people-search.ts';
import { type RowOutcome, rowOutcomeFor, suppressed } from '../../core/rules/row-outcome.ts';
import { jsonText } from '../../core/runtime/json/json-text.ts';
import { readAnswerJson } from '../../core/runtime/json/parse-json.ts';
import { pairs } from '../../core/runtime/pairs.ts';
import type { KnownAnswer, NewAnswer } from '../ledger/calls/answers.ts';
import { bundleBodies } from '../ledger/calls/bodies.ts';
import { joinedKeys, keyedCall } from '../ledger/calls/call-key.ts';
import type { CallCompletion } from '../ledger/calls/calls.ts';
import { clearPeople } from '../ledger/care/forgotten.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import { type NewOutcome, outcomeOf, outcomesAtOnce } from '../ledger/rows/rows.ts';
import type { Search } from '../ledger/runs/searches.ts';
import type { Provider } from '../providers/provider.ts';
import { identityIn } from '../providers/providers.ts';
import type { QueuedRun, QueueState, QueueTerms } from './queue-state.ts';
import type { Answer } from './run-queue.ts';
import { keptAnswer } from './vanished.ts';

/**
 * The service may still send forgotten people. It may also send a forgotten company that shares its
 * ABN with other companies.
 */
export function withoutForgotten({ forgotten, provider }: QueueState, answers: readonly Answer[]) {
  if (forgotten.isEmpty) return answers;
  return answers.map((answer): Answer => {
    const { result } = answer;
    if (result.kind !== 'hit') return answer;
    const json = readAnswerJson(result.body);
    const { companyId, attempts, durationMs, status } = result;
    if (companyId && forgotten.hasCompany(identityIn(provider, companyId, json))) {
      const body = Buffer.alloc(0);
      return { ...answer, result: { kind: 'miss', status, body, attempts, durationMs } };
    }
    if (companyId || !clearPeople(provider, json, forgotten.hasPerson)) return answer;
    return { ...answer, result: { ...result, body: Buffer.from(jsonText(json)) } };
  });
}

/** Compressed before the transaction, because other writers wait for it. */
export function packBodies(answers: readonly Answer[]) {
  const bodies = answers.map(({ result }) => ('body' in result ? result.body : undefined));
  const bundled = bundleBodies(bodies.filter((body) => body !== undefined)).values();
  return bodies.map((body) => (body && bundled.next().value) ?? null);
}

/** Call inside a transaction. */
export function storeAnswers(
  state: QueueState,
  answers: readonly Answer[],
  bodies: ReturnType<typeof packBodies>,
): void {
  if (answers.length === 0) return;
  const { ledger, terms, leased } = state;
  if (answers.some(({ result }) => result.kind === 'hit'))
    ledger.calls.noteFound(terms.service.url);
  const stored = answers.map(({ callId, result, fetchedAt }, index): NewAnswer => {
    const task = leased.get(callId);
    if (!task) throw new Error(`call ${callId} was answered, although it was not leased`);
    const { match, aliasKeys } = readCompany(state, task.call, result);
    return {
      callId,
      result: result.kind,
      status: 'status' in result ? result.status : null,
      message: messageOf(result),
      companyId: result.kind === 'hit' ? (result.companyId ?? null) : null,
      match,
      attempts: result.attempts,
      durationMs: result.durationMs,
      fetchedAt,
      body: bodies[index] ?? null,
      aliasKeys,
    };
  });
  const ids = ledger.calls.putAnswers(stored);
  const storedAnswers = pairs(stored, ids).map(([answer, id]) => Object.assign(answer, { id }));
  // If a call is answered twice, the first answer wins.
  const completed = new Map<number, CompletedCall>();
  for (const [answer, { result, staysOpen }] of pairs(storedAnswers, answers)) {
    const { callId } = answer;
    const task = leased.get(callId);
    if (!task || staysOpen || completed.has(callId)) continue;
    completed.set(callId, {
      callId,
      searchId: task.searchId,
      page: task.page,
      call: task.call,
      answer,
      source: result.isFetchedElsewhere ? 'reused' : 'called',
      body: result.kind === 'hit' ? result.body : undefined,
    });
  }
  if (completed.size > 0) completeCalls(state, [...completed.values()]);
}

function messageOf(result: Answer['result']) {
  if (result.kind === 'invalid') return result.message;
  return 'reason' in result ? result.reason : null;
}

const noCompany = { match: null, aliasKeys: Buffer.alloc(0) };

function readCompany({ provider, terms }: QueueState, call: CallRequest, result: Answer['result']) {
  if (call.operation !== 'company' || result.kind !== 'hit') return noCompany;
  const { companyId = '', identifiers, body } = result;
  const identity = identifiers
    ? readIdentity(companyId, identifiers)
    : identityIn(provider, companyId, readAnswerJson(body));
  const aliasKeys = joinedKeys(terms.service.url, aliasCalls(identity, call));
  return { match: matchCompany(call.identifier, identity), aliasKeys };
}

export interface CompletedCall extends CallCompletion {
  readonly answer: KnownAnswer;
  readonly call: CallRequest;
  /** Parsed only when needed, because a page may be large. */
  readonly body?: Buffer | undefined;
}

export function completeCalls(state: QueueState, calls: readonly CompletedCall[]): void {
  const { ledger, run, counts } = state;
  ledger.calls.complete(run.id, calls);
  counts.calls.open -= calls.length;
  for (const { source, answer } of calls) {
    counts.calls[answer.result === 'failed' ? 'failed' : countedAs(source)] += 1;
  }
  completeRows(
    state,
    calls.filter(({ searchId }) => searchId === null),
  );
  for (const call of calls) if (call.searchId !== null) completePage(state, call, call.searchId);
}

function completeRows(state: QueueState, lookups: readonly CompletedCall[]) {
  const { ledger, run, terms, counts } = state;
  const answered = new Map(lookups.map((lookup) => [lookup.callId, lookup]));
  let callIds: readonly number[] = [...answered.keys()];
  while (callIds.length > 0) {
    const rows = ledger.outcomes.waiting(run.id, callIds, outcomesAtOnce);
    ledger.outcomes.leave(run.id, rows);
    const ended: NewOutcome[] = [];
    const moving: (NextCandidate & { readonly rowId: number })[] = [];
    for (const row of rows) {
      const call = answered.get(row.callId) as CompletedCall;
      const { answer } = call;
      const rowOutcome = outcomeUnlessSuppressed(state, call);
      const [later] = rowOutcome.next === 'candidate' ? laterCandidates(row) : [];
      if (later) {
        moving.push({ rowId: row.rowId, ...later });
        continue;
      }
      const stale =
        rowOutcome.status === 'failed' ? staleOutcome(ledger, run, terms, row) : undefined;
      const outcome = stale ?? outcomeOf(row, answer, rowOutcome);
      ended.push(outcome);
      counts.rows[outcome.status] += 1;
      counts.rows.stale += outcome.isStale;
    }
    ledger.outcomes.put(run.id, ended);
    counts.rows.open -= ended.length;
    const known = moving.length > 0 ? moveRows(state, moving, answered) : [];
    callIds = rows.length === outcomesAtOnce ? [...answered.keys()] : known;
  }
  for (const completed of answered.values()) {
    const { answer, call } = completed;
    const { companyId } = answer;
    if (call.operation !== 'company' || !companyId) continue;
    const { next } = outcomeUnlessSuppressed(state, completed);
    const company = { runId: run.id, companyId, country: call.country };
    if (next === 'people') startSearch(state, company, 0);
  }
}

/** A company may be suppressed by an identifier that no row contains. */
function outcomeUnlessSuppressed(
  { suppression, source: cache, provider }: QueueState,
  { answer, source, body }: CompletedCall,
): RowOutcome {
  const rowOutcome = rowOutcomeFor(answer, source);
  if (suppression.isEmpty || rowOutcome.status !== 'matched') return rowOutcome;
  const bytes = body ?? cache.readBody(answer.id);
  const company = bytes && identityIn(provider, answer.companyId ?? '', readAnswerJson(bytes));
  return company && suppression.hasCompany(company) ? suppressed : rowOutcome;
}

type StaleRun = Pick<QueuedRun, 'id' | 'lastStartedAt'>;

/** Lets an export of an unfinished run show older answers for open rows. Call inside a transaction. */
export function keepStaleOutcomes(ledger: Ledger, run: StaleRun, terms: QueueTerms): void {
  for (const rows of ledger.outcomes.allWaiting(run.id)) {
    const stale = rows.flatMap((row) => staleOutcome(ledger, run, terms, row) ?? []);
    ledger.outcomes.put(run.id, stale);
  }
}

function staleOutcome(
  ledger: Ledger,
  { lastStartedAt }: StaleRun,
  { service, reuse }: QueueTerms,
  row: WaitingRow,
): NewOutcome | undefined {
  if (reuse.staleOnFailureMs === 0) return undefined;
  const since = lastStartedAt - reuse.staleOnFailureMs;
  const countedAt = ledger.clock.countedAt(lastStartedAt);
  let callId: number | undefined = row.callId;
  for (const { candidateIndex, call } of laterCandidates({
    ...row,
    candidateIndex: row.candidateIndex - 1,
  })) {
    if (candidateIndex > row.candidateIndex)
      callId = ledger.calls.find(keyedCall(service.url, call).key);
    if (callId === undefined) return undefined;
    const answer = keptAnswer(ledger, callId);
    if (!answer || countedAt(answer.id, answer.fetchedAt) < since) return undefined;
    const source = answer.callId === callId ? 'reused' : 'joined';
    const rowOutcome = rowOutcomeFor(answer, source);
    if (rowOutcome.status === 'failed') return undefined;
    if (rowOutcome.next === 'candidate' && candidateIndex + 1 < row.candidates.length) continue;
    return outcomeOf({ rowId: row.rowId, callId, candidateIndex }, answer, rowOutcome, 1);
  }
  return undefined;
}

/** Returns the calls that are already answered, and adds them to `answered`. */
function moveRows(
  state: QueueState,
  moving: readonly (NextCandidate & { readonly rowId: number })[],
  answered: Map<number, CompletedCall>,
) {
  const { ledger, run } = state;
  const callIds = findOrAddCalls(
    state,
    moving.map(({ call }) => call),
  );
  const moved = pairs(moving, callIds);
  ledger.outcomes.wait(
    run.id,
    moved.map(([{ rowId, candidateIndex }, callId]) => ({ rowId, candidateIndex, callId })),
  );
  const calls = new Map(moved.map(([{ call }, callId]) => [callId, call]));
  for (const [callId, call] of calls) {
    const completion = answered.has(callId) ? undefined : ledger.calls.completion(run.id, callId);
    if (completion) answered.set(callId, { ...completion, callId, call, searchId: null, page: 0 });
  }
  return [...calls.keys()].filter((callId) => answered.has(callId));
}

export function findOrAddCalls(
  { ledger, run, terms, counts }: QueueState,
  lookups: readonly CompanyCall[],
): number[] {
  const callIds = ledger.calls.idsOf(
    terms.service,
    lookups.map((call) => keyedCall(terms.service.url, call)),
  );
  const added = ledger.calls.countNew(run.id, callIds);
  counts.calls.open += added;
  counts.calls.shared += lookups.length - added;
  return callIds;
}

/** One search after another, because `maxPerCompany` limits all of them together. */
function startSearch(
  state: QueueState,
  company: Pick<Search, 'runId' | 'companyId' | 'country'>,
  index: number,
) {
  const { people } = state.terms;
  const filters = people && searchFilters(people)[index];
  if (!filters) return;
  const search = state.ledger.searches.open({ ...company, ...filters });
  if (search) askForPage(state, search, 0, people);
}

function askForPage(
  { ledger, run, terms, counts }: QueueState,
  search: Search,
  page: number,
  people: PeopleTerms,
) {
  const call = nextPage(search, ledger.searches.receivedFor(search), people);
  const [callId = 0] = ledger.calls.idsOf(terms.service, [keyedCall(terms.service.url, call)]);
  const waiting = { runId: run.id, callId, searchId: search.id, page };
  counts.calls.open += ledger.calls.waitForPage(waiting).changes;
}

function completePage(
  state: QueueState,
  { callId, page, answer, body }: CompletedCall,
  searchId: number,
) {
  const { ledger, run, counts, terms, provider } = state;
  const { searches } = ledger;
  const { people } = terms;
  if (!people) throw new Error(`${terms.job} searches no people`);
  ledger.outcomes.leave(run.id, [{ callId, rowId: 0 }]);
  const content = body && provider.people(readAnswerJson(body));
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
    askForPage(state, search, page + 1, people);
    return;
  }
  const next = searchIndex(people, search) + 1;
  const mayGoOn = receivedForCompany < maxPerCompany;
  const isComplete =
    isCompleteSearch({ end, total: search.total, found: searches.foundBy(searchId) }) &&
    // Skipped searches might find more people.
    (mayGoOn || next === people.searches.length);
  searches.end(searchId, end, isComplete);
  if (end === 'failed') counts.failedSearches += 1;
  else if (!isComplete) counts.incompleteSearches += 1;
  if (mayGoOn) startSearch(state, search, next);
}

/** Without an id, all that the service says identifies a person. */
function personKey(provider: Provider, person: unknown) {
  const id = (provider.record(person) as { person_id?: unknown } | null)?.person_id;
  return typeof id === 'string' || typeof id === 'number' ? String(id) : jsonText(person);
}
