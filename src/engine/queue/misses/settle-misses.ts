import type { Breach } from '../../../core/rules/expectations.ts';
import { haveVanished, isGone } from '../../../core/rules/known-company.ts';
import { laterCandidates } from '../../../core/rules/next-candidate.ts';
import type { Counts } from '../../../core/rules/outcomes.ts';
import { rowOutcomeFor } from '../../../core/rules/row-outcome.ts';
import { formatNumber } from '../../../core/values/format.ts';
import { memo } from '../../../core/values/memo.ts';
import type { KnownAnswer } from '../../ledger/calls/answers.ts';
import type { Ledger } from '../../ledger/open-ledger.ts';
import { outcomeOf } from '../../ledger/rows/outcomes.ts';
import { outcomesAtOnce } from '../../ledger/rows/waiting-rows.ts';
import { allServices } from '../../ledger/runs/misses-and-fills.ts';
import type { Run } from '../../ledger/runs/runs.ts';
import { serviceIdentity, serviceOf } from '../../providers/providers.ts';
import { type AskedServices, createAskedServices } from '../asked-services.ts';
import type { QueueTerms } from '../queue-terms.ts';
import { isHeldForVanished, sinceLastResult } from './last-result.ts';

interface Missed {
  readonly callId: number;
  readonly serviceId: number | null;
  /** The hit before the misses. */
  readonly answerId: number;
  /** Its rows keep it. False if it vanished: a held result shows what accepting it would do. */
  readonly isKept: boolean;
}

/**
 * The known companies that a finished run did not find; see `known-company.ts`. The ledger stores two
 * facts: `call.kept_answer_id` is the hit before the misses of a kept or vanished company, and
 * `run.held` says that companies vanished.
 */
export interface MissedCompanies {
  /** Of the last published result. */
  readonly published: readonly Missed[];
  /** Kept before this run, and not of that result. */
  readonly later: readonly Missed[];
  /** Why the result is held, if many of them are missing. */
  readonly vanished: readonly Breach[];
}

export function findMissed(ledger: Ledger, run: Run): MissedCompanies {
  const { misses } = ledger;
  const since = sinceLastResult(ledger, run);
  const atServices = servicesOf(ledger, run).map(({ serviceId, name }) => {
    const at = { ...since, serviceId };
    const missed = misses.missed(at);
    const vanished = findVanished(misses.countKnown(at), missed.length, name);
    const isKept = vanished.length === 0;
    return { vanished, published: missed.map((miss) => ({ ...miss, isKept })) };
  });
  const published = atServices.flatMap((one) => one.published);
  const later = keptBefore(ledger, run, new Set(published.map(({ callId }) => callId)));
  return { published, later, vanished: atServices.flatMap((one) => one.vanished) };
}

/** A run of one service counts all its calls, because older ones do not name it. */
function servicesOf({ services }: Ledger, run: Run) {
  if (run.services.length === 1) return [{ serviceId: allServices, name: undefined }];
  return run.services.flatMap((identity) => {
    const serviceId = services.find(serviceOf(identity));
    if (serviceId === undefined) return [];
    return [{ serviceId, name: services.get(serviceId)?.name ?? undefined }];
  });
}

/** Gives rows back the companies that they keep, and counts them again. */
export function keepCompanies(
  ledger: Ledger,
  run: Run,
  terms: QueueTerms,
  { published, later }: MissedCompanies,
  counts: Counts,
): Counts {
  const services = createAskedServices(ledger, terms.services);
  const countedAt = ledger.clock.countedAt(run.lastStartedAt);
  const hits = new Map<number, KnownAnswer>();
  for (const { isKept, ...miss } of [...published, ...later]) {
    const hit = isKept && ledger.calls.answer(miss.answerId);
    const oldest = run.lastStartedAt - services.ofCall(miss).reuse.staleOnFailureMs;
    if (hit && countedAt(hit.id, hit.fetchedAt) >= oldest) hits.set(miss.callId, hit);
  }
  return hits.size > 0 ? keepHits(ledger, run, services, counts, hits) : counts;
}

/** Marks first misses even if held, so the rows keep their company if its next call fails. */
export function markKept(
  { misses }: Ledger,
  { published, later }: MissedCompanies,
  isHeld: boolean,
): void {
  for (const { callId, answerId } of published) misses.setKeptAnswer(answerId, callId);
  if (!isHeld) markGone(misses, later);
}

/** The vanished companies of an accepted result are gone. */
export function markAccepted(ledger: Ledger, run: Run): void {
  const { published, later } = findMissed(ledger, run);
  const vanished = isHeldForVanished(run) ? published : [];
  markGone(ledger.misses, [...vanished.map((miss) => ({ ...miss, isKept: false })), ...later]);
}

function markGone({ setKeptAnswer }: Ledger['misses'], missed: readonly Missed[]) {
  for (const { callId, isKept } of missed) if (!isKept) setKeptAnswer(null, callId);
}

/** Companies that were kept before this run and are not known from a published result. */
function keptBefore(ledger: Ledger, run: Run, publishedIds: ReadonlySet<number>) {
  const { misses, calls, services } = ledger;
  const kept = misses
    .ofKept(run.id)
    .filter(({ callId }) => !publishedIds.has(callId))
    .map((miss) => ({ ...miss, misses: calls.missStreak(miss.missId) }));
  const ends = ledger.runs.list().flatMap(({ lastAnswerId }) => lastAnswerId ?? []);
  const endOfRunOf = memo((answerId: number) =>
    ends.reduce((end, id) => (id >= answerId && id < end ? id : end), Infinity),
  );
  const ended = kept.map(({ misses: { firstId } }) => endOfRunOf(firstId));
  const after = ended.reduce((least, end) => Math.min(least, end), Infinity);
  const lastFound = memo((serviceId: number | null) => {
    const stored = serviceId === null ? undefined : services.get(serviceId);
    const service = stored ? serviceIdentity(stored) : (run.services[0] ?? '');
    return misses.lastFound({ service, serviceId, after }) ?? 0;
  });
  const isTrial = run.kind === 'trial';
  return kept.map((miss) => {
    const isFound = miss.isHit === 1;
    const hasFoundSince = lastFound(miss.serviceId) > endOfRunOf(miss.misses.firstId);
    return { ...miss, isKept: !isFound && !isGone(miss.misses, hasFoundSince, isTrial) };
  });
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
