/**
 * Decides what a run does with companies that the service no longer finds; see `CompanyState`.
 *
 * | when                | what                                                                    |
 * | ------------------- | ----------------------------------------------------------------------- |
 * | the queue opens     | the misses of vanished companies are looked up again, and once more the |
 * |                     | first misses of a service that found nothing in a run of ten calls      |
 * | a company is missed | its rows keep the company, marked as stale, until a second miss; they   |
 * |                     | do not count as stale, because no call failed                           |
 * | the run ends        | if too many vanished, the result is held                                |
 *
 * The ledger stores two facts. `call.kept_answer_id` is the hit before the misses of a kept or
 * vanished company. `run.held` says that companies vanished.
 */
import type { Breach } from '../../core/rules/expectations.ts';
import { companyState, haveVanished, missAgeMs } from '../../core/rules/known-company.ts';
import { laterCandidates } from '../../core/rules/next-candidate.ts';
import type { Counts } from '../../core/rules/outcomes.ts';
import { rowOutcomeFor } from '../../core/rules/row-outcome.ts';
import { formatNumber } from '../../core/values/format.ts';
import type { KnownAnswer } from '../ledger/calls/answers.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import { type KnownOutcome, outcomeOf } from '../ledger/rows/outcomes.ts';
import { outcomesAtOnce } from '../ledger/rows/waiting-rows.ts';
import type { Run } from '../ledger/runs/runs.ts';
import { serviceIdentity, serviceOf } from '../providers/providers.ts';
import { type AskedServices, createAskedServices } from './asked-services.ts';
import type { QueueState } from './queue-state.ts';
import type { QueuedRun, QueueTerms } from './queue-terms.ts';
import type { Answer, Exchange } from './run-queue.ts';

/** Stored misses that a run looks up again. */
export function findRepeatedMisses(ledger: Ledger, { kind, job }: Run, { services }: QueueTerms) {
  const { misses, runs } = ledger;
  const held = kind === 'trial' ? undefined : runs.newestHeld(job);
  const vanished =
    held && isHeldForVanished(held)
      ? misses.missed({ ...sinceLastResult(ledger, held), serviceId: null })
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

/** A run that stopped at its recheck is not continued: a new run begins with a new one. */
export function hasStoppedAtRecheck({ starts }: Ledger, run: Run): boolean {
  return starts.ofRun(run)?.reason === 'STILL_VANISHED';
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

export const mostRechecked = 10;

/** After a result held for vanished companies, the run looks up some of them before any other call. */
export interface Recheck {
  /** True for all other calls until it is over. */
  postpones(callId: number): boolean;
  note(answers: readonly Answer[]): void;
  noteCached(callId: number): void;
  /** Returns its result once, when its last call is answered. */
  end(): Pick<Exchange, 'vanished'> | undefined;
}

export function createRecheck({ ledger, run }: QueueState): Recheck {
  const callIds = JSON.stringify(run.vanishedCallIds);
  const open = new Set(
    ledger.calls.listOpenAmong({ runId: run.id, callIds, limit: mostRechecked }),
  );
  let isOver = open.size === 0;
  let lookedUp = 0;
  let missed = 0;
  return {
    postpones: (callId) => !isOver && !open.has(callId),
    note(answers) {
      for (const { callId, result } of answers) {
        if (!open.delete(callId)) continue;
        lookedUp += 1;
        if (result.kind === 'miss' || result.kind === 'invalid') missed += 1;
      }
    },
    noteCached: (callId) => open.delete(callId),
    end() {
      if (isOver || open.size > 0) return undefined;
      isOver = true;
      if (lookedUp === 0 || missed * 2 < lookedUp) return {};
      const vanished = `stopped before other calls: of ${lookedUp} companies that vanished last time, ${missed} are still missing`;
      return { vanished };
    },
  };
}

/** The id is null for the only service of a run, because older calls have none. */
function servicesOf({ services }: Ledger, run: Run) {
  if (run.services.length === 1) return [{ serviceId: null, name: undefined }];
  return run.services.flatMap((identity) => {
    const serviceId = services.find(serviceOf(identity));
    if (serviceId === undefined) return [];
    return [{ serviceId, name: services.get(serviceId)?.name ?? undefined }];
  });
}

/** The result that a result is compared with. Its companies are known. */
export function lastPublished({ runs }: Ledger, run: Run) {
  // Sample data is compared with any result, so it never replaces a real one unnoticed.
  return runs.comparable(run).find(({ isSample }) => !isSample || run.isSample);
}

export function sinceLastResult(ledger: Ledger, run: Run, otherwise = 0) {
  const { finishedAt, lastAnswerId } = lastPublished(ledger, run) ?? {};
  const publishedAt = finishedAt ?? otherwise;
  const publishedId =
    lastAnswerId ?? (publishedAt > 0 ? ledger.runs.answerBefore(publishedAt) : undefined) ?? 0;
  return { runId: run.id, publishedId, publishedAt };
}

/** What a finished run makes of the known companies that it did not find. */
export function findMisses(ledger: Ledger, run: Run) {
  const { misses, calls } = ledger;
  const since = sinceLastResult(ledger, run);
  const vanished: Breach[] = [];
  const published = servicesOf(ledger, run).flatMap(({ serviceId, name }) => {
    const at = { ...since, serviceId };
    const missed = misses.missed(at);
    const breach = findVanished(misses.countKnown(at), missed.length, name);
    vanished.push(...breach);
    const state = companyState({ isPublished: true, areManyMissing: breach.length > 0 });
    return missed.map((miss) => ({ ...miss, state }));
  });
  const publishedIds = new Set(published.map(({ callId }) => callId));
  const later = keptBefore(ledger, run, publishedIds);
  const settled = later.filter(({ state }) => state !== 'kept');
  return {
    /** Why the result is held, if many known companies are missing. */
    vanished,
    /**
     * One miss may be a mistake of the service, so rows keep a known company until a second run
     * misses it. Vanished companies are not kept: a held result shows what accepting it would do.
     */
    keepCompanies(terms: QueueTerms, counts: Counts): Counts {
      const services = createAskedServices(ledger, terms.services);
      const staleMs = services.list.map(({ reuse }) => reuse.staleOnFailureMs);
      const oldest = run.lastStartedAt - Math.max(...staleMs);
      const countedAt = ledger.clock.countedAt(run.lastStartedAt);
      const hits = new Map<number, KnownAnswer>();
      for (const { callId, answerId, state } of [...published, ...later]) {
        const hit = state === 'kept' && calls.answer(answerId);
        if (hit && countedAt(hit.id, hit.fetchedAt) >= oldest) hits.set(callId, hit);
      }
      return hits.size > 0 ? keepHits(ledger, run, services, counts, hits) : counts;
    },
    /** Marks first misses even if held, so the rows keep their company if its next call fails. */
    note(isHeld: boolean) {
      for (const { callId, answerId } of published) misses.setKeptAnswer(answerId, callId);
      if (isHeld) return;
      for (const { callId } of settled) misses.setKeptAnswer(null, callId);
    },
    /** The vanished companies of an accepted result are gone. */
    accept() {
      const gone = isHeldForVanished(run) ? [...published, ...settled] : settled;
      for (const { callId } of gone) misses.setKeptAnswer(null, callId);
    },
  };
}

/** Companies that were kept before this run and are not known from a published result. */
function keptBefore(ledger: Ledger, run: Run, publishedIds: ReadonlySet<number>) {
  const { misses, calls, services } = ledger;
  const kept = misses
    .ofKept(run.id)
    .filter(({ callId }) => !publishedIds.has(callId))
    .map((miss) => ({ ...miss, misses: calls.missStreak(miss.missId) }));
  const after = Math.min(...kept.map(({ misses: { firstId } }) => firstId));
  const foundIds = new Map<number | null, number>();
  const lastFound = (serviceId: number | null) => {
    const stored = serviceId === null ? undefined : services.get(serviceId);
    const service = stored ? serviceIdentity(stored) : (run.services[0] ?? '');
    const id = foundIds.get(serviceId) ?? misses.lastFound({ service, serviceId, after }) ?? 0;
    foundIds.set(serviceId, id);
    return id;
  };
  const isTrial = run.kind === 'trial';
  return kept.map((miss) => ({
    ...miss,
    state: companyState({
      isFound: miss.isHit === 1,
      isTrial,
      misses: miss.misses,
      foundId: lastFound(miss.serviceId),
    }),
  }));
}

function keepHits(
  ledger: Ledger,
  run: Run,
  services: AskedServices,
  counts: Counts,
  hits: ReadonlyMap<number, KnownAnswer>,
): Counts {
  const { calls, misses, progress } = ledger;
  const rowCounts = { ...counts.rows };
  const missing = misses.rowsWithout(run.id, JSON.stringify([...hits.keys()]));
  for (let at = 0; at < missing.length; at += outcomesAtOnce) {
    const batch = missing.slice(at, at + outcomesAtOnce);
    const statuses = new Map(batch.map(({ rowId, status }) => [rowId, status]));
    const rows = ledger.rows.readWhole(run.id, [...statuses.keys()]);
    const kept = rows.flatMap(({ id: rowId, country, candidates }) => {
      for (const { call, candidateIndex, serviceIndex } of country
        ? laterCandidates({ country, candidates }, services.takes)
        : []) {
        const callId = calls.find(services.keyed(call, serviceIndex).key) ?? 0;
        const hit = hits.get(callId);
        if (!hit) continue;
        return [outcomeOf({ rowId, callId, candidateIndex }, hit, rowOutcomeFor(hit, 'reused'), 1)];
      }
      return [];
    });
    for (const { rowId } of kept) rowCounts[statuses.get(rowId) ?? 'not_found'] -= 1;
    rowCounts.matched += kept.length;
    ledger.outcomes.put(run.id, kept);
  }
  const keeping = { ...counts, rows: rowCounts };
  progress.put(run.id, keeping, progress.freshUntil(run.id));
  return keeping;
}

function findVanished(known: number, missed: number, service?: string): Breach[] {
  if (!haveVanished(known, missed)) return [];
  const missing = formatNumber(missed);
  const message = `vanished: ${missing} of ${formatNumber(known)} known companies were not found this time${service ? ` at ${service}` : ''}`;
  return [{ expectation: 'vanished', expected: '< 50%', found: missing, message }];
}

export function isHeldForVanished({ held }: Pick<Run, 'held'>): boolean {
  return held?.some(({ expectation }) => expectation === 'vanished') ?? false;
}

/** The answer that rows keep if a new call fails. For a kept company, the hit before its misses. */
export function keptAnswer({ calls }: Ledger, callId: number): KnownAnswer | undefined {
  const newest = calls.newestAnswer(callId);
  const keptAnswerId = newest && keptAnswerOf(newest);
  return keptAnswerId ? calls.answer(keptAnswerId) : newest;
}

/** Such a row does not count as stale, because no call failed. */
export function keepsCompany({ answerId }: KnownOutcome, newest: KnownAnswer | undefined): boolean {
  return newest?.keptAnswerId === answerId;
}

function keptAnswerOf({ result, keptAnswerId }: KnownAnswer) {
  return result === 'hit' ? undefined : keptAnswerId;
}
