/** Which stored misses a run looks up again, and which hits rows keep in spite of them. */
import { missAgeMs } from '../../../core/rules/known-company.ts';
import type { Counts } from '../../../core/rules/outcomes.ts';
import type { KnownAnswer } from '../../ledger/calls/answers.ts';
import type { Ledger } from '../../ledger/open-ledger.ts';
import type { KnownOutcome } from '../../ledger/rows/outcomes.ts';
import { allServices } from '../../ledger/runs/misses-and-fills.ts';
import type { Run } from '../../ledger/runs/runs.ts';
import { serviceIdentity } from '../../providers/providers.ts';
import type { QueuedRun, QueueTerms } from '../queue-terms.ts';
import { isHeldForVanished, lastPublished, sinceLastResult } from './last-result.ts';

/** When a queue opens: the misses of vanished companies, and those of distrusted services. */
export function findRepeatedMisses(ledger: Ledger, { kind, job }: Run, { services }: QueueTerms) {
  const { misses, runs } = ledger;
  const held = kind === 'trial' ? undefined : runs.newestHeld(job);
  const vanished =
    held && isHeldForVanished(held)
      ? misses.missed({ ...sinceLastResult(ledger, held), serviceId: allServices })
      : [];
  return {
    vanishedCallIds: vanished.map(({ callId }) => callId),
    distrusted: distrustedServices(ledger, job, services).map(serviceIdentity),
  };
}

/** Services that have never found a company, although a run made ten calls there. */
export function distrustedServices(
  { calls, runs, progress }: Ledger,
  job: string,
  services: QueueTerms['services'],
) {
  const isSuspicious = (run: Run, service: QueueTerms['services'][number]) => {
    const isAsked = run.services.includes(serviceIdentity(service));
    if (run.state !== 'finished' || !isAsked) return false;
    const counts = progress.counts(run.id);
    // A run of an older version with one service has no counts by service.
    const isOfOne = Object.keys(counts.services).length === 0;
    const own = counts.services[service.name];
    return (isOfOne ? counts.calls.made : (own?.made ?? 0)) >= suspiciousCalls;
  };
  return services.filter(
    (service) =>
      !calls.hasEverFound(serviceIdentity(service)) &&
      runs.list(job).some((run) => isSuspicious(run, service)),
  );
}

/** So many calls without one company may mean that the address is wrong, or the service empty. */
const suspiciousCalls = 10;

export function foundNoneAtFirst(ledger: Ledger, run: Run, { rows, calls }: Counts): boolean {
  const hasFoundNone = rows.matched + rows.suppressed === 0 && calls.made >= suspiciousCalls;
  return hasFoundNone && !lastPublished(ledger, run);
}

/** Which stored answers a run may reuse, and for how long. */
export function missRuleFor(
  { calls }: Ledger,
  { vanishedCallIds, distrusted, paidSince }: QueuedRun,
) {
  const vanished = new Set(vanishedCallIds);
  return (identity: string, callId: number | undefined, answer: KnownAnswer) => {
    const { id, result, fetchedAt } = answer;
    if (vanished.has(callId ?? 0) && result !== 'hit' && fetchedAt < paidSince) return undefined;
    if (keptAnswerOf(answer)) return { ...answer, maxAgeMs: missAgeMs(calls.missStreak(id)) };
    const isEarlierMiss = (result === 'miss' || result === 'invalid') && fetchedAt < paidSince;
    if (!isEarlierMiss || !distrusted.includes(identity)) return answer;
    return calls.missStreak(id).count > 1 ? answer : undefined;
  };
}

/** The answer that rows keep if a new call fails. For a kept company, the hit before its misses. */
export function keptAnswer({ calls }: Ledger, callId: number): KnownAnswer | undefined {
  const newest = calls.newestAnswer(callId);
  const keptAnswerId = newest && keptAnswerOf(newest);
  return keptAnswerId ? calls.answer(keptAnswerId) : newest;
}

export function keepsCompany({ answerId }: KnownOutcome, newest: KnownAnswer | undefined): boolean {
  return newest?.keptAnswerId === answerId;
}

function keptAnswerOf({ result, keptAnswerId }: KnownAnswer) {
  return result === 'hit' ? undefined : keptAnswerId;
}
