import type { Call } from '../../core/contract/call.ts';
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
import { type RowOutcome, rowOutcomeFor, suppressed } from '../../core/rules/row-outcome.ts';
import { pairs } from '../../core/values/pairs.ts';
import { readAnswerJson } from '../../core/values/parse-json.ts';
import type { KnownAnswer } from '../ledger/calls/answers.ts';
import type { CallCompletion } from '../ledger/calls/completed-calls.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import { type NewOutcome, outcomeOf } from '../ledger/rows/outcomes.ts';
import { outcomesAtOnce } from '../ledger/rows/waiting-rows.ts';
import { providerOf } from '../providers/providers.ts';
import { identifiersIn } from '../providers/read-body.ts';
import { type AskedServices, createAskedServices } from './asked-services.ts';
import { keptAnswer } from './misses/stored-misses.ts';
import type { QueueState } from './queue-state.ts';
import type { QueuedRun, QueueTerms } from './queue-terms.ts';
import { completePage, startSearch } from './search-people.ts';

export interface CompletedCall extends CallCompletion {
  readonly answer: KnownAnswer;
  readonly call: Call;
  /** The place of its service among those of the job. */
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

/**
 * Takes rows again until none waits for an answered call: only `outcomesAtOnce` fit in a pass, and the
 * call of a next candidate may be answered already. It ends, because a row never gets a candidate twice.
 */
function completeRows(state: QueueState, lookups: readonly CompletedCall[]) {
  const { ledger, run, services, waterfall } = state;
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
      ended.push(stale ?? outcomeOf(row, answer, rowOutcome));
    }
    endRows(state, ended);
    if (waiting.length > 0) ledger.outcomes.waitAfterMiss(run.id, waiting);
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

/** Stores the outcomes of open rows, and counts them. Call inside a transaction. */
export function endRows({ ledger, run, counts }: QueueState, outcomes: readonly NewOutcome[]) {
  ledger.outcomes.put(run.id, outcomes);
  counts.rows.open -= outcomes.length;
  for (const { status, isStale } of outcomes) {
    counts.rows[status] += 1;
    counts.rows.stale += isStale;
  }
}

/** Call inside a transaction. `isIdle`: see `takeReady`. */
export function continueReadyRows(
  state: QueueState,
  isIdle: (serviceIndex: number) => boolean,
): boolean {
  const { waterfall } = state;
  let hasContinued = false;
  for (const rows of waterfall.takeReady(isIdle)) {
    hasContinued = true;
    const ended: NewOutcome[] = [];
    const moving: RowAndCandidate[] = [];
    for (const { row, next, completed } of rows) {
      if (next) moving.push({ rowId: row.rowId, ...next });
      else ended.push(outcomeOf(row, completed.answer, waterfall.endOf(completed)));
    }
    endRows(state, ended);
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
