import type { Call } from '../../core/contract/call.ts';
import { aliasCalls, matchCompany } from '../../core/rules/match-company.ts';
import {
  laterCandidates,
  type NextCandidate,
  nextCandidate,
  type WaitingRow,
} from '../../core/rules/next-candidate.ts';
import {
  type CallResultKind,
  type CallsOfService,
  countedAs,
  type Source,
} from '../../core/rules/outcomes.ts';
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
import { jsonText } from '../../core/values/json-text.ts';
import { pairs } from '../../core/values/pairs.ts';
import { readAnswerJson } from '../../core/values/parse-json.ts';
import type { KnownAnswer, NewAnswer } from '../ledger/calls/answers.ts';
import { bundleBodies } from '../ledger/calls/bodies.ts';
import { joinedKeys } from '../ledger/calls/call-key.ts';
import type { CallCompletion } from '../ledger/calls/completed-calls.ts';
import { clearPeople } from '../ledger/care/forgotten.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import { type NewOutcome, outcomeOf } from '../ledger/rows/outcomes.ts';
import { outcomesAtOnce } from '../ledger/rows/waiting-rows.ts';
import type { Search } from '../ledger/runs/searches.ts';
import type { Provider } from '../providers/provider.ts';
import { providerOf } from '../providers/providers.ts';
import { identifiersIn, type ReadCompany, readCompany } from '../providers/read-body.ts';
import { type AskedService, type AskedServices, createAskedServices } from './asked-services.ts';
import type { QueuedRun, QueueState, QueueTerms } from './queue-state.ts';
import type { Answer } from './run-queue.ts';
import { keptAnswer } from './vanished.ts';

export interface ReadAnswer extends Answer {
  /** Of a lookup that found one. */
  readonly company?: ReadCompany;
}

/**
 * Parses companies here, because this thread waits more than the one of the sockets. Leaves out those
 * that were presumed but are not there. The service may still send forgotten people, and a forgotten
 * company that shares its ABN with other companies.
 */
export function readAnswers(
  { forgotten, leased, services }: QueueState,
  answers: readonly Answer[],
): ReadAnswer[] {
  return answers.flatMap((answer): ReadAnswer | [] => {
    const { result } = answer;
    const task = leased.get(answer.callId);
    if (result.kind !== 'hit' || !task) return answer;
    const service = services.ofCall(task);
    const { identity } = service;
    const provider = providerOf(service);
    const { companyId, body, attempts, durationMs, status } = result;
    if (companyId !== undefined) {
      const company = readCompany(provider, companyId, result);
      if (!company) return [];
      if (forgotten.isEmpty || !forgotten.hasCompany(company.identifiers, identity))
        return { ...answer, company };
      const nothing = Buffer.alloc(0);
      return { ...answer, result: { kind: 'miss', status, body: nothing, attempts, durationMs } };
    }
    if (forgotten.isEmpty) return answer;
    const json = readAnswerJson(body);
    if (!clearPeople(provider, json, forgotten.hasPerson)) return answer;
    return { ...answer, result: { ...result, body: Buffer.from(jsonText(json)) } };
  });
}

/** Compressed before the transaction, because other writers wait for it. */
export function packBodies(answers: readonly ReadAnswer[]) {
  const bodies = answers.map(({ result, company }) =>
    'body' in result ? { body: result.body, flat: company?.flat } : undefined,
  );
  const bundled = bundleBodies(bodies.filter((body) => body !== undefined)).values();
  return bodies.map((body) => (body && bundled.next().value) ?? null);
}

/** Call inside a transaction. */
export function storeAnswers(
  state: QueueState,
  answers: readonly ReadAnswer[],
  bodies: ReturnType<typeof packBodies>,
): void {
  if (answers.length === 0) return;
  const { ledger, leased, services } = state;
  for (const { identity } of servicesThatFound(state, answers)) ledger.calls.noteFound(identity);
  const stored = answers.map(({ callId, result, fetchedAt, company }, index): NewAnswer => {
    const task = leased.get(callId);
    if (!task) throw new Error(`call ${callId} was answered, although it was not leased`);
    const { match, aliasKeys } = compareCompany(services.ofCall(task), task.call, company);
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
      serviceIndex: services.ofCall(task).index,
      answer,
      source: result.isFetchedElsewhere ? 'reused' : 'called',
      body: result.kind === 'hit' ? result.body : undefined,
    });
  }
  if (completed.size > 0) completeCalls(state, [...completed.values()]);
}

function servicesThatFound({ leased, services }: QueueState, answers: readonly Answer[]) {
  const found = new Set<AskedService>();
  for (const { callId, result } of answers) {
    const task = result.kind === 'hit' && leased.get(callId);
    if (task) found.add(services.ofCall(task));
  }
  return found;
}

function messageOf(result: Answer['result']) {
  if (result.kind === 'invalid') return result.message;
  return 'reason' in result ? result.reason : null;
}

const noCompany = { match: null, aliasKeys: Buffer.alloc(0) };

function compareCompany({ identity }: AskedService, call: Call, company: ReadCompany | undefined) {
  if (call.operation !== 'company' || !company) return noCompany;
  const { identifiers } = company;
  const aliasKeys = joinedKeys(identity, aliasCalls(identifiers, call));
  return { match: matchCompany(call.identifier, identifiers), aliasKeys };
}

export interface CompletedCall extends CallCompletion {
  readonly answer: KnownAnswer;
  readonly call: Call;
  /** Of its service, among those of the job. */
  readonly serviceIndex: number;
  /** Parsed only when needed, because a page may be large. */
  readonly body?: Buffer | undefined;
}

export function completeCalls(state: QueueState, calls: readonly CompletedCall[]): void {
  const { ledger, run, counts, services, waterfall } = state;
  waterfall.note(calls);
  ledger.calls.complete(run.id, calls);
  counts.calls.open -= calls.length;
  for (const { source, answer, serviceIndex } of calls) {
    counts.calls[answer.result === 'failed' ? 'failed' : countedAs(source)] += 1;
    const own = counts.services[services.at(serviceIndex).name];
    if (own) countCall(own, answer.result, source);
  }
  completeRows(
    state,
    calls.filter(({ searchId }) => searchId === null),
  );
  for (const call of calls) if (call.searchId !== null) completePage(state, call, call.searchId);
}

function countCall(counts: CallsOfService, result: CallResultKind, source: Source) {
  if (result === 'failed') counts.failed += 1;
  else if (source !== 'called') counts.reused += 1;
  else {
    counts.made += 1;
    if (result === 'hit') counts.hits += 1;
    if (result === 'miss') counts.misses += 1;
  }
}

function completeRows(state: QueueState, lookups: readonly CompletedCall[]) {
  const { ledger, run, counts, services, waterfall } = state;
  const answered = new Map(lookups.map((lookup) => [lookup.callId, lookup]));
  let callIds: readonly number[] = [...answered.keys()];
  while (callIds.length > 0) {
    const rows = ledger.outcomes.waiting(run.id, callIds, outcomesAtOnce);
    ledger.outcomes.leave(run.id, rows);
    const ended: NewOutcome[] = [];
    const moving: RowAndCandidate[] = [];
    const waiting: WaitingRow[] = [];
    for (const row of rows) {
      const call = answered.get(row.callId) as CompletedCall;
      const { answer, serviceIndex } = call;
      let rowOutcome = outcomeUnlessSuppressed(state, call);
      const later =
        rowOutcome.next === 'candidate' && nextCandidate({ ...row, serviceIndex }, services.takes);
      if (later) {
        const step = later.serviceIndex === serviceIndex ? 'move' : waterfall.decide(call);
        if (step === 'move') moving.push({ rowId: row.rowId, ...later });
        if (step === 'wait') waiting.push(row);
        if (step !== 'end') continue;
        rowOutcome = waterfall.endOf(call);
      }
      const stale =
        rowOutcome.status === 'failed'
          ? staleOutcome(ledger, run, services, { ...row, serviceIndex })
          : undefined;
      const outcome = stale ?? outcomeOf(row, answer, rowOutcome);
      ended.push(outcome);
      counts.rows[outcome.status] += 1;
      counts.rows.stale += outcome.isStale;
    }
    ledger.outcomes.put(run.id, ended);
    if (waiting.length > 0) ledger.outcomes.waitAfterMiss(run.id, waiting);
    counts.rows.open -= ended.length;
    const known = moving.length > 0 ? waitForNextCalls(state, moving, answered) : [];
    callIds = rows.length === outcomesAtOnce ? [...answered.keys()] : known;
  }
  for (const completed of answered.values()) {
    const { answer, call } = completed;
    const { companyId } = answer;
    if (call.operation !== 'company' || !companyId) continue;
    const { next } = outcomeUnlessSuppressed(state, completed);
    const company = { runId: run.id, companyId, country: call.country };
    if (next === 'people') startSearch(state, company, 0, completed.serviceIndex);
  }
}

/** Call inside a transaction. `isIdle`: see `takeReady`. */
export function continueReadyRows(
  state: QueueState,
  isIdle: (serviceIndex: number) => boolean,
): boolean {
  const { ledger, run, counts, waterfall } = state;
  let hasContinued = false;
  for (const rows of waterfall.takeReady(isIdle)) {
    hasContinued = true;
    const ended: NewOutcome[] = [];
    const moving: RowAndCandidate[] = [];
    for (const { row, next, completed } of rows) {
      if (next) moving.push({ rowId: row.rowId, ...next });
      else ended.push(outcomeOf(row, completed.answer, waterfall.endOf(completed)));
    }
    for (const { status } of ended) counts.rows[status] += 1;
    counts.rows.open -= ended.length;
    ledger.outcomes.put(run.id, ended);
    if (moving.length === 0) continue;
    const answered = new Map<number, CompletedCall>();
    if (waitForNextCalls(state, moving, answered).length > 0)
      completeRows(state, [...answered.values()]);
  }
  return hasContinued;
}

/** A company may be suppressed by an identifier that no row contains. */
function outcomeUnlessSuppressed(
  { suppression, cache, services }: QueueState,
  { answer, source, body, serviceIndex }: CompletedCall,
): RowOutcome {
  const rowOutcome = rowOutcomeFor(answer, source);
  if (suppression.isEmpty || rowOutcome.status !== 'matched') return rowOutcome;
  const bytes = body ?? cache.readBody(answer.id);
  const service = services.at(serviceIndex);
  const company =
    bytes && identifiersIn(providerOf(service), answer.companyId ?? '', readAnswerJson(bytes));
  return company && suppression.hasCompany(company, service.identity) ? suppressed : rowOutcome;
}

type StaleRun = Pick<QueuedRun, 'id' | 'lastStartedAt'>;

/** Lets an export of an unfinished run show older answers for open rows. Call inside a transaction. */
export function keepStaleOutcomes(ledger: Ledger, run: StaleRun, terms: QueueTerms): void {
  const services = createAskedServices(ledger, terms.services);
  for (const rows of ledger.outcomes.allWaiting(run.id)) {
    const stale = rows.flatMap((row) => {
      const serviceIndex = services.ofCall(row).index;
      return staleOutcome(ledger, run, services, { ...row, serviceIndex }) ?? [];
    });
    ledger.outcomes.put(run.id, stale);
  }
}

function staleOutcome(
  ledger: Ledger,
  { lastStartedAt }: StaleRun,
  services: AskedServices,
  row: WaitingRow & { readonly serviceIndex: number },
): NewOutcome | undefined {
  if (services.list.every(({ reuse }) => reuse.staleOnFailureMs === 0)) return undefined;
  const countedAt = ledger.clock.countedAt(lastStartedAt);
  const later = laterCandidates(row, services.takes);
  for (const place of [undefined, ...later]) {
    const { candidateIndex, serviceIndex } = place ?? row;
    const callId = place
      ? ledger.calls.find(services.keyed(place.call, serviceIndex).key)
      : row.callId;
    if (callId === undefined) return undefined;
    const since = lastStartedAt - services.at(serviceIndex).reuse.staleOnFailureMs;
    const answer = keptAnswer(ledger, callId);
    if (!answer || countedAt(answer.id, answer.fetchedAt) < since) return undefined;
    const source = answer.callId === callId ? 'reused' : 'joined';
    const rowOutcome = rowOutcomeFor(answer, source);
    if (rowOutcome.status === 'failed') return undefined;
    if (rowOutcome.next === 'candidate' && place !== later.at(-1)) continue;
    return outcomeOf({ rowId: row.rowId, callId, candidateIndex }, answer, rowOutcome, 1);
  }
  return undefined;
}

/** Returns the calls that are already answered, and adds them to `answered`. */
function waitForNextCalls(
  state: QueueState,
  moving: readonly RowAndCandidate[],
  answered: Map<number, CompletedCall>,
) {
  const { ledger, run } = state;
  const moved = waitForCandidates(state, moving);
  const calls = new Map(moved.map(([next, callId]) => [callId, next]));
  for (const [callId, { call, serviceIndex }] of calls) {
    const completion = answered.has(callId) ? undefined : ledger.calls.completion(run.id, callId);
    if (completion)
      answered.set(callId, { ...completion, callId, call, serviceIndex, searchId: null, page: 0 });
  }
  return [...calls.keys()].filter((callId) => answered.has(callId));
}

export type RowAndCandidate = NextCandidate & { readonly rowId: number };

export function waitForCandidates(
  { ledger, run, terms, counts, services }: QueueState,
  waiting: readonly RowAndCandidate[],
) {
  const callIds = ledger.calls.idsOf(
    terms.services,
    waiting.map(({ call, serviceIndex }) => services.keyed(call, serviceIndex)),
  );
  const added = ledger.calls.countNew(run.id, callIds);
  counts.calls.open += added;
  counts.calls.shared += waiting.length - added;
  const all = pairs(waiting, callIds);
  ledger.outcomes.wait(
    run.id,
    all.map(([{ rowId, candidateIndex }, callId]) => ({ rowId, candidateIndex, callId })),
  );
  return all;
}

/** One search after another, because `maxPerCompany` limits all of them together. */
function startSearch(
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

function completePage(
  state: QueueState,
  { callId, page, answer, body, serviceIndex }: CompletedCall,
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
  if (end === 'failed') counts.failedSearches += 1;
  else if (!isComplete) counts.incompleteSearches += 1;
  if (mayGoOn) startSearch(state, search, next, serviceIndex);
}

/** Without an id, all that the service says identifies a person. */
function personKey(provider: Provider, person: unknown) {
  const id = (provider.record(person) as { person_id?: unknown } | null)?.person_id;
  return typeof id === 'string' || typeof id === 'number' ? String(id) : jsonText(person);
}
