import { operationOf } from '../../core/contract/call.ts';
import { DossierError } from '../../core/errors.ts';
import type { RowCandidate } from '../../core/rules/next-candidate.ts';
import { type Counts, noCallsOfService } from '../../core/rules/outcomes.ts';
import type { PeopleTerms } from '../../core/rules/people-search.ts';
import { findPaidSince } from '../../core/rules/resume.ts';
import { type CacheHit, chooseCached } from '../../core/rules/reuse.ts';
import type { Exclusions } from '../../core/rules/suppression.ts';
import type { KnownAnswer } from '../ledger/calls/answers.ts';
import { callKey, type KeyedCall } from '../ledger/calls/call-key.ts';
import type { OpenCall } from '../ledger/calls/open-calls.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import { type Run, runName } from '../ledger/runs/runs.ts';
import {
  type AskedCall,
  type AskedService,
  type AskedServices,
  createAskedServices,
  type QueueService,
} from './asked-services.ts';
import { createSpendCounter } from './count-spend.ts';
import type { LeasedCall } from './run-queue.ts';
import { findRepeatedMisses, missRuleFor } from './vanished.ts';
import { createWaterfall } from './waterfall.ts';

/** Plain data, because it may go to another thread. */
export interface QueueTerms {
  readonly job: string;
  readonly jobFingerprint: string;
  /** In the order in which they are asked. */
  readonly services: readonly QueueService[];
  /** Set by `--refresh`: only answers fetched by the same refresh count as already paid for. */
  readonly isRefresh?: boolean;
  /** Set by `dossier fix`, which looks up only changed rows. */
  readonly isFix?: boolean | undefined;
  readonly people: PeopleTerms | undefined;
  readonly exclusions?: Exclusions | undefined;
  readonly ledgerPath: string;
  readonly ledgerMustExist?: boolean;
}

export type QueueState = ReturnType<typeof createQueueState>;

export function noteExpiry(state: QueueState, { freshUntil }: CachedAnswer) {
  state.freshUntil = Math.min(state.freshUntil, freshUntil);
}

/** A run with what it takes over from earlier runs. Plain data, like the terms. */
export interface QueuedRun extends Run {
  /** See `findPaidSince`. */
  readonly paidSince: number;
  /** The last published run, if this run would give the same outcomes from the same answers. */
  readonly follows: Pick<Run, 'id' | 'listId'> | null;
  /** Calls for known companies that are missing from the held result. */
  readonly vanishedCallIds: readonly number[];
  /** Services that never found a company: their URL may be wrong, so their stored misses are asked again. */
  readonly distrusted: readonly string[];
}

export function queuedRun(ledger: Ledger, run: Run, terms: QueueTerms): QueuedRun {
  const misses = findRepeatedMisses(ledger, run, terms);
  const refresh = terms.isRefresh ? run.jobFingerprint : null;
  // Lookups of one slot have nothing in common. After companies vanished, what an unfinished run
  // missed is looked up again.
  const isAlone = run.kind === 'lookup' || misses.vanishedCallIds.length > 0;
  const unfinishedSince = isAlone ? undefined : ledger.runs.unfinishedSince(run, refresh);
  const paidSince = findPaidSince(run.startedAt, unfinishedSince);
  return { ...run, paidSince, follows: null, ...misses };
}

export type CachedTask = Pick<
  OpenCall,
  'callId' | 'text' | 'searchId' | 'mayBeCached' | 'serviceId'
>;

export type CachedAnswer = CacheHit<KnownAnswer>;

/** The answer may belong to another identifier of the same company. */
function cacheRuleFor(ledger: Ledger, run: QueuedRun) {
  const missRule = missRuleFor(ledger, run);
  const countedAt = ledger.clock.countedAt(run.lastStartedAt);
  const withCountedDate = (answer: KnownAnswer): KnownAnswer => {
    const fetchedAt = countedAt(answer.id, answer.fetchedAt);
    return fetchedAt === answer.fetchedAt ? answer : { ...answer, fetchedAt };
  };
  return (
    service: Pick<AskedService, 'identity' | 'reuse'>,
    { key, text }: KeyedCall,
    callId: number | undefined,
    stored: KnownAnswer | undefined,
  ) => {
    const newest = stored && missRule.reusable(callId, withCountedDate(stored));
    return chooseCached({
      operation: operationOf(text),
      key,
      reuse: missRule.reuse(service),
      asOf: run.lastStartedAt,
      paidSince: run.paidSince,
      newest,
      isNewestFromAlias: newest?.callId !== callId,
      findAlias: () => ledger.calls.aliasAnswer(key, run.startedAt, withCountedDate),
    });
  };
}

export function createAnswerCache(ledger: Ledger, run: QueuedRun, services: AskedServices) {
  const { calls } = ledger;
  const choose = cacheRuleFor(ledger, run);
  const chooseAll = (asked: readonly AskedCall[]) => {
    const newest = calls.newestAt(asked.map(({ key }) => key));
    return asked.map((call, index) => {
      const own = newest.get(index);
      const hit = choose(services.at(call.serviceIndex), call, own?.servedId, own);
      return hit && { ...hit, callId: own?.servedId };
    });
  };
  return {
    find(tasks: readonly CachedTask[]) {
      const cachedByCall = new Map<number, CachedAnswer>();
      const candidates = tasks.filter(({ mayBeCached }) => mayBeCached === 1);
      if (candidates.length === 0) return cachedByCall;
      const newest = calls.newestAnswers(candidates.map(({ callId }) => callId));
      for (const task of candidates) {
        const { callId, text } = task;
        const service = services.ofCall(task);
        const key = callKey(service.identity, text);
        const cached = choose(service, { key, text }, callId, newest.get(callId));
        if (cached) cachedByCall.set(callId, cached);
      }
      return cachedByCall;
    },
    /** For calls that may be unknown. */
    chooseAll,
    choose: (call: AskedCall) => chooseAll([call])[0],
    readBody(answerId: number): Buffer | undefined {
      const body = calls.body(answerId);
      if (!body) calls.discardAnswer(answerId);
      return body ?? undefined;
    },
  };
}

export type AnswerCache = ReturnType<typeof createAnswerCache>;

export function createQueueState(
  ledger: Ledger,
  run: QueuedRun,
  terms: QueueTerms,
  services: AskedServices = createAskedServices(ledger, terms.services),
  cache: AnswerCache = createAnswerCache(ledger, run, services),
) {
  const suppression = ledger.forgotten.suppression(terms.exclusions);
  const owner = { job: terms.job, runId: run.kind === 'lookup' ? 0 : run.id };
  return {
    ledger,
    run,
    terms,
    services,
    waterfall: createWaterfall(ledger, run, services),
    spends: terms.services.map(
      ({ spend }, index) => spend && createSpendCounter(ledger, spend, owner, index),
    ),
    cache,
    suppression,
    forgotten: ledger.forgotten.suppression(),
    isSuppressed: ({ candidates }: { readonly candidates: readonly RowCandidate[] }) =>
      !suppression.isEmpty &&
      candidates.some(([kind, value]) => suppression.has({ kind, value }, services.idsAt)),
    counts: countsOf(ledger, run, terms),
    leased: new Map<number, OpenCall & Pick<LeasedCall, 'call'>>(),
    freshUntil: ledger.progress.freshUntil(run.id),
  };
}

function countsOf({ progress }: Ledger, { id }: QueuedRun, { services }: QueueTerms): Counts {
  const counts = progress.counts(id);
  const none = services.map(({ name }) => [name, noCallsOfService()] as const);
  return { ...counts, services: { ...Object.fromEntries(none), ...counts.services } };
}

/** Two owners would pay for the same calls. Call inside a transaction. */
export function requireOwned({ runs }: Ledger, run: Pick<QueuedRun, 'id' | 'owner'>): void {
  if (runs.ownerOf(run.id) === run.owner) return;
  const message = `another process took over ${runName(run)}, because its lock file was removed; never remove lock files of a ledger in use`;
  throw new DossierError('JOB_BUSY', message);
}
