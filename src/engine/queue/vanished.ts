/**
 * Decides what a run does with companies that the service no longer finds.
 *
 * | state      | meaning                        | how it is entered               | what a run does with it            | how it is left                  |
 * | ---------- | ------------------------------ | ------------------------------- | ---------------------------------- | ------------------------------- |
 * | known      | found for the last published   | a result with it is published   | reuses the hit, as long as         | missed: kept or vanished        |
 * |            | result                         |                                 | `reuse.companies` allows           |                                 |
 * | kept       | missed, but perhaps by mistake | missed, while few known         | its rows keep the company; looks   | found: known                    |
 * |            |                                | companies are                   | it up again after 20 hours, and    | missed often enough: gone       |
 * |            |                                |                                 | then 48 hours after the first miss |                                 |
 * | vanished   | missed, like half of the known | missed, while many known        | the next run that is not a trial   | found: known                    |
 * |            | companies: the service may be  | companies are; the result is    | looks all of them up again, ten    | missed, while few are: kept     |
 * |            | broken                         | held                            | before other calls (the recheck),  | held result accepted: gone      |
 * |            |                                |                                 | and stops if half are missing      |                                 |
 * | gone       | missed, and believed           | 2 misses, and another company   | its rows are not found; reuses     | found: known                    |
 * |            |                                | found since the first; or 3     | the miss, as long as               |                                 |
 * |            |                                | misses over 48 hours; or a held | `reuse.misses` allows              |                                 |
 * |            |                                | result is accepted              |                                    |                                 |
 * | distrusted | missed by a service that has   | a run of ten calls finds no     | looks every stored miss up again   | the service finds any company   |
 * |            | never found a company          | company                         |                                    | (`hasEverFound`)                |
 *
 * - The ledger stores two facts. `call.unproven_id` is the hit before the misses of a kept or
 *   vanished company. `run.held` says that companies vanished.
 * - The rows of a kept company are marked as stale, but not counted as stale, because no call
 *   failed. If a call for a vanished company fails, its rows keep the company too.
 */
import type { Breach } from '../../core/rules/expectations.ts';
import { laterCandidates } from '../../core/rules/next-candidate.ts';
import type { Counts } from '../../core/rules/outcomes.ts';
import type { ReuseTerms } from '../../core/rules/reuse.ts';
import { rowOutcomeFor } from '../../core/rules/row-outcome.ts';
import { formatNumber } from '../../core/values/format.ts';
import type { KnownAnswer, MissStreak } from '../ledger/calls/answers.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import { type KnownOutcome, outcomeOf, outcomesAtOnce } from '../ledger/rows/rows.ts';
import type { Run } from '../ledger/runs/runs.ts';
import { serviceIdentity, serviceOf } from '../providers/providers.ts';
import { type AskedService, type AskedServices, createAskedServices } from './asked-services.ts';
import type { QueuedRun, QueueState, QueueTerms } from './queue-state.ts';
import type { Answer } from './run-queue.ts';

/** Stored misses that a run looks up again. */
export function findRepeatedMisses(ledger: Ledger, { kind, job }: Run, { services }: QueueTerms) {
  const { calls, misses, runs, progress } = ledger;
  const names = new Map(services.map((service) => [serviceIdentity(service), service.name]));
  const held = kind === 'trial' ? undefined : runs.newestHeld(job);
  const vanished =
    held && isHeldForVanished(held)
      ? misses.missed({ ...sincePublished(ledger, held), serviceId: null })
      : [];
  const foundNone = (run: Run, identity: string) => {
    if (run.state !== 'finished' || !run.services.includes(identity)) return false;
    const counts = progress.of(run.id);
    const own = counts.services?.[names.get(identity) ?? ''];
    return run.services.length === 1 ? hasFoundNone(counts) : own?.hits === 0 && own.made >= 10;
  };
  return {
    vanishedCallIds: vanished.map(({ callId }) => callId),
    distrusted: [...names.keys()].filter(
      (identity) =>
        !calls.hasEverFound(identity) && runs.list(job).some((run) => foundNone(run, identity)),
    ),
  };
}

/** Ten lookups without one company are suspicious. */
function hasFoundNone({ rows, calls }: Counts) {
  return rows.matched + rows.suppressed === 0 && calls.made >= 10;
}

export function foundNoneAtFirst(ledger: Ledger, run: Run, counts: Counts): boolean {
  return hasFoundNone(counts) && !lastPublished(ledger, run);
}

/** A run that stopped at its recheck is not continued: a new run begins with a new one. */
export function hasStoppedAtRecheck({ starts }: Ledger, run: Run): boolean {
  return starts.ofRun(run)?.reason === 'STILL_VANISHED';
}

/** A first miss expires soon enough for the next nightly run to look it up again. */
const firstMissMs = 20 * 3_600_000;
/** Without another company that was found meanwhile, a service is given this time. */
const quietMs = 48 * 3_600_000;

/** What the cache may reuse. */
export function missRuleFor(
  { calls }: Ledger,
  { vanishedCallIds, distrusted, paidSince }: QueuedRun,
) {
  const vanished = new Set(vanishedCallIds);
  return {
    reuse: ({ identity, reuse }: Pick<AskedService, 'identity' | 'reuse'>): ReuseTerms =>
      distrusted.includes(identity) ? { ...reuse, missesMs: 0 } : reuse,
    reusable(callId: number | undefined, answer: KnownAnswer) {
      const { id, result, fetchedAt } = answer;
      if (vanished.has(callId ?? 0) && result !== 'hit' && fetchedAt < paidSince) return undefined;
      if (!keptIdOf(answer)) return answer;
      const { count, forMs } = calls.missStreak(id);
      return { ...answer, maxAgeMs: Math.max(firstMissMs, count > 1 ? quietMs - forMs : 0) };
    },
  };
}

/** `foundId`: the last answer in which the service found a company. */
function isBelieved({ firstId, count, forMs }: MissStreak, foundId: number) {
  return count >= 2 && (foundId > firstId || (count >= 3 && forMs >= quietMs));
}

export const mostRechecked = 10;

export type Recheck = ReturnType<typeof createRecheck>;

/** After a result held for vanished companies, the run looks up some of them before any other call. */
export function createRecheck({ ledger, run }: QueueState) {
  const callIds = JSON.stringify(run.vanishedCallIds);
  const open = new Set(
    ledger.calls.listOpenAmong({ runId: run.id, callIds, limit: mostRechecked }),
  );
  let isOver = open.size === 0;
  let lookedUp = 0;
  let missed = 0;
  return {
    postpones: (callId: number) => !isOver && !open.has(callId),
    note(answers: readonly Answer[]) {
      for (const { callId, result } of answers) {
        if (!open.delete(callId)) continue;
        lookedUp += 1;
        if (result.kind === 'miss' || result.kind === 'invalid') missed += 1;
      }
    },
    noteCached: (callId: number) => open.delete(callId),
    /** Returns its result once, when its last call is answered. */
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

export function sincePublished(ledger: Ledger, run: Run, otherwise = 0) {
  const { finishedAt, lastAnswerId } = lastPublished(ledger, run) ?? {};
  const publishedAt = finishedAt ?? otherwise;
  const publishedId =
    lastAnswerId ?? (publishedAt > 0 ? ledger.runs.answerBefore(publishedAt) : undefined) ?? 0;
  return { runId: run.id, publishedId, publishedAt };
}

/** Known companies that a finished run did not find. */
export function findMisses(ledger: Ledger, run: Run) {
  const { misses, calls } = ledger;
  const since = sincePublished(ledger, run);
  const ofService = servicesOf(ledger, run).map(({ serviceId, name }) => {
    const at = { ...since, serviceId };
    const missed = misses.missed(at);
    return { missed, vanished: findVanished(misses.countKnown(at), missed.length, name) };
  });
  const first = ofService.flatMap(({ missed }) => missed);
  const vanished = ofService.flatMap((one) => one.vanished);
  const firstIds = new Set(first.map(({ callId }) => callId));
  const later = misses.ofKept(run.id).filter(({ callId }) => !firstIds.has(callId));
  const again = later.map((miss) => ({ ...miss, ...calls.missStreak(miss.missId) }));
  const after = Math.min(...again.map(({ firstId }) => firstId));
  const foundIds = new Map<number | null, number>();
  const lastFound = (serviceId: number | null) => {
    const stored = serviceId === null ? undefined : ledger.services.get(serviceId);
    const service = stored ? serviceIdentity(stored) : (run.services[0] ?? '');
    const known = foundIds.get(serviceId) ?? misses.lastFound({ service, serviceId, after }) ?? 0;
    foundIds.set(serviceId, known);
    return known;
  };
  const { kept = [], settled = [] } = Object.groupBy(again, (miss) =>
    miss.isHit || (run.kind !== 'trial' && isBelieved(miss, lastFound(miss.serviceId)))
      ? 'settled'
      : 'kept',
  );
  return {
    /** Why the result is held, if many known companies are missing. */
    vanished,
    /**
     * One miss may be a mistake of the service, so rows keep a known company until a second run
     * misses it. Vanished companies are not kept: a held result shows what accepting it would do.
     */
    keepCompanies(terms: QueueTerms, counts: Counts) {
      const services = createAskedServices(ledger, terms.services);
      const staleMs = services.list.map(({ reuse }) => reuse.staleOnFailureMs);
      const oldest = run.lastStartedAt - Math.max(...staleMs);
      const countedAt = ledger.clock.countedAt(run.lastStartedAt);
      const hits = new Map<number, KnownAnswer>();
      const firstKept = ofService.flatMap((one) => (one.vanished.length > 0 ? [] : one.missed));
      for (const { callId, answerId } of [...firstKept, ...kept]) {
        const hit = calls.answer(answerId);
        if (hit && countedAt(hit.id, hit.fetchedAt) >= oldest) hits.set(callId, hit);
      }
      if (hits.size > 0) keepHits(ledger, run, services, counts, hits);
    },
    /** Marks first misses even if held, so the rows keep their company if its next call fails. */
    note(isHeld: boolean) {
      for (const { callId, answerId } of first) misses.setKeptAnswer(answerId, callId);
      if (isHeld) return;
      for (const { callId } of settled) misses.setKeptAnswer(null, callId);
    },
    /** The vanished companies of an accepted result are gone. */
    accept() {
      const gone = isHeldForVanished(run) ? [...first, ...settled] : settled;
      for (const { callId } of gone) misses.setKeptAnswer(null, callId);
    },
  };
}

function keepHits(
  ledger: Ledger,
  run: Run,
  services: AskedServices,
  counts: Counts,
  hits: ReadonlyMap<number, KnownAnswer>,
) {
  const { calls, misses, progress } = ledger;
  const missing = misses.rowsWithout(run.id, JSON.stringify([...hits.keys()]));
  for (let at = 0; at < missing.length; at += outcomesAtOnce) {
    const batch = missing.slice(at, at + outcomesAtOnce);
    const statuses = new Map(batch.map(({ rowId, status }) => [rowId, status]));
    const rows = ledger.rows.readWhole(run.id, [...statuses.keys()]);
    const kept = rows.flatMap(({ id: rowId, country, candidates }) => {
      for (const { call, candidateIndex, service } of country
        ? laterCandidates({ country, candidates }, services.takes)
        : []) {
        const callId = calls.find(services.keyed(call, service).key) ?? 0;
        const hit = hits.get(callId);
        if (!hit) continue;
        return [outcomeOf({ rowId, callId, candidateIndex }, hit, rowOutcomeFor(hit, 'reused'), 1)];
      }
      return [];
    });
    for (const { rowId } of kept) counts.rows[statuses.get(rowId) ?? 'not_found'] -= 1;
    counts.rows.matched += kept.length;
    ledger.outcomes.put(run.id, kept);
  }
  progress.put(run.id, counts, progress.freshUntil(run.id));
}

/** If half of 10 known companies, or all of 5, are missed at once, the service may be broken. */
export function findVanished(known: number, missed: number, service?: string): Breach[] {
  const hasVanished = known >= 10 ? missed * 2 >= known : known >= 5 && missed === known;
  if (!hasVanished) return [];
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
  const keptId = newest && keptIdOf(newest);
  return keptId ? calls.answer(keptId) : newest;
}

/** Such a row does not count as stale, because no call failed. */
export function keepsCompany({ answerId }: KnownOutcome, newest: KnownAnswer | undefined): boolean {
  return newest?.keptId === answerId;
}

function keptIdOf({ result, keptId }: KnownAnswer) {
  return result === 'hit' ? undefined : keptId;
}
