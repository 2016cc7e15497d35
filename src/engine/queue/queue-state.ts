import { DossierError } from '../../core/errors.ts';
import type { RowCandidate } from '../../core/rules/next-candidate.ts';
import type { PeopleTerms } from '../../core/rules/people-search.ts';
import { findPaidSince } from '../../core/rules/resume.ts';
import { type CacheHit, chooseCached, type ReuseTerms } from '../../core/rules/reuse.ts';
import type { Exclusions } from '../../core/rules/suppression.ts';
import type { KnownAnswer } from '../ledger/calls/answers.ts';
import { callKey } from '../ledger/calls/call-key.ts';
import type { OpenCall } from '../ledger/calls/calls.ts';
import type { Service } from '../ledger/calls/services.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import { type Run, runName } from '../ledger/runs/runs.ts';
import { providerOf } from '../providers/providers.ts';
import type { SpendTerms } from './count-spend.ts';
import type { LeasedCall } from './run-queue.ts';
import { findRepeatedMisses, missRuleFor } from './vanished.ts';

/** Plain data, because it may go to another thread. */
export interface QueueTerms {
  readonly job: string;
  readonly jobFingerprint: string;
  readonly service: Service;
  readonly reuse: ReuseTerms;
  /** Set by `--refresh`: only answers fetched by the same refresh count as already paid for. */
  readonly isRefresh?: boolean;
  /** Set by `dossier fix`, which looks up only changed rows. */
  readonly isFix?: boolean | undefined;
  readonly people: PeopleTerms | undefined;
  readonly exclusions?: Exclusions | undefined;
  /** Undefined for sample data and plans, which are not charged. */
  readonly spend?: SpendTerms | undefined;
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
  /** No company was ever found here, so stored misses prove nothing and are asked again. */
  readonly distrustsMisses: boolean;
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

export type CachedAnswer = CacheHit<KnownAnswer>;

export function operationOf(request: string) {
  return request.startsWith('people?') ? 'people' : 'company';
}

/** The answer may belong to another identifier of the same company. */
export function cacheOf(ledger: Ledger, run: QueuedRun, { service, reuse }: QueueTerms) {
  const missRule = missRuleFor(ledger, run, reuse);
  const countedAt = ledger.clock.countedAt(run.lastStartedAt);
  const withCountedDate = (answer: KnownAnswer): KnownAnswer => {
    const fetchedAt = countedAt(answer.id, answer.fetchedAt);
    return fetchedAt === answer.fetchedAt ? answer : { ...answer, fetchedAt };
  };
  return (request: string, callId: number | undefined, stored: KnownAnswer | undefined) => {
    const newest = stored && missRule.reusable(callId, withCountedDate(stored));
    const key = callKey(service.url, request);
    return chooseCached({
      operation: operationOf(request),
      key,
      reuse: missRule.reuse,
      asOf: run.lastStartedAt,
      paidSince: run.paidSince,
      newest,
      isNewestFromAlias: newest?.callId !== callId,
      findAlias: () => ledger.calls.aliasAnswer(key, run.startedAt, withCountedDate),
    });
  };
}

export function ownAnswers(ledger: Ledger, run: QueuedRun, terms: QueueTerms) {
  const { calls } = ledger;
  const choose = cacheOf(ledger, run, terms);
  return {
    find(tasks: readonly Pick<OpenCall, 'callId' | 'request' | 'searchId' | 'mayBeCached'>[]) {
      const cachedByCall = new Map<number, CachedAnswer>();
      const candidates = tasks.filter(({ mayBeCached }) => mayBeCached === 1);
      if (candidates.length === 0) return cachedByCall;
      const newest = calls.newestAnswers(candidates.map(({ callId }) => callId));
      for (const { callId, request } of candidates) {
        const cached = choose(request, callId, newest.get(callId));
        if (cached) cachedByCall.set(callId, cached);
      }
      return cachedByCall;
    },
    readBody(answerId: number): Buffer | undefined {
      const body = calls.body(answerId);
      if (!body) calls.discardAnswer(answerId);
      return body ?? undefined;
    },
  };
}

export type AnswerSource = ReturnType<typeof ownAnswers>;

export function createQueueState(
  ledger: Ledger,
  run: QueuedRun,
  terms: QueueTerms,
  source: AnswerSource = ownAnswers(ledger, run, terms),
) {
  const suppression = ledger.forgotten.suppression(terms.exclusions);
  return {
    ledger,
    run,
    terms,
    provider: providerOf(terms.service.adapter),
    source,
    suppression,
    forgotten: ledger.forgotten.suppression(),
    isSuppressed: ({ candidates }: { readonly candidates: readonly RowCandidate[] }) =>
      !suppression.isEmpty && candidates.some(([kind, value]) => suppression.has({ kind, value })),
    counts: ledger.progress.of(run.id),
    leased: new Map<number, OpenCall & Pick<LeasedCall, 'call'>>(),
    freshUntil: ledger.progress.freshUntil(run.id),
  };
}

/** Two owners would pay for the same calls. Call inside a transaction. */
export function requireOwned({ runs }: Ledger, run: Pick<QueuedRun, 'id' | 'owner'>): void {
  if (runs.ownerOf(run.id) === run.owner) return;
  const message = `another process took over ${runName(run)}, because its lock file was removed; never remove lock files of a ledger in use`;
  throw new DossierError('JOB_BUSY', message);
}
