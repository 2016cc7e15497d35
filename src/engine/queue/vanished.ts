/**
 * Decides what a run does with companies that the service no longer finds.
 *
 * | state      | meaning                        | how it is entered               | what a run does with it            | how it is left                  |
 * | ---------- | ------------------------------ | ------------------------------- | ---------------------------------- | ------------------------------- |
 * | known      | found for the last published   | a result with it is published   | reuses the hit, as long as         | missed: unproven or vanished    |
 * |            | result                         |                                 | `reuse.companies` allows           |                                 |
 * | unproven   | missed, but perhaps by mistake | missed, while few known         | its rows keep the company; looks   | found: known                    |
 * |            |                                | companies are                   | it up again after 20 hours, and    | missed often enough: gone       |
 * |            |                                |                                 | then 48 hours after the first miss |                                 |
 * | vanished   | missed, like half of the known | missed, while many known        | the next run that is not a trial   | found: known                    |
 * |            | companies: the service may be  | companies are; the result is    | looks all of them up again, ten    | missed, while few are: unproven |
 * |            | broken                         | held                            | before any other call (the probe), | held result accepted: gone      |
 * |            |                                |                                 | and stops if half are missing      |                                 |
 * | gone       | missed, and believed           | 2 misses, and another company   | its rows are not found; reuses     | found: known                    |
 * |            |                                | found since the first; or 3     | the miss, as long as               |                                 |
 * |            |                                | misses over 48 hours; or a held | `reuse.misses` allows              |                                 |
 * |            |                                | result is accepted              |                                    |                                 |
 * | distrusted | missed by a service that has   | a run of ten calls finds no     | looks every stored miss up again   | the service finds any company   |
 * |            | never found a company          | company                         |                                    | (`hasEverFound`)                |
 *
 * - The ledger stores two facts. `call.unproven_id` is the hit before the misses of an unproven or
 *   vanished company. `run.held` says that companies vanished.
 * - A row that keeps its company is marked stale, but not counted as stale: no call failed. If the
 *   next call fails, the row keeps the company of a vanished one too.
 */
import type { Breach } from '../../core/rules/expectations.ts';
import { laterCandidates } from '../../core/rules/next-candidate.ts';
import type { Counts } from '../../core/rules/outcomes.ts';
import type { ReuseTerms } from '../../core/rules/reuse.ts';
import { rowOutcomeFor } from '../../core/rules/row-outcome.ts';
import { formatNumber } from '../../core/runtime/format.ts';
import type { KnownAnswer, MissStreak } from '../ledger/calls/answers.ts';
import { keyedCall } from '../ledger/calls/call-key.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import { type KnownOutcome, outcomeOf, outcomesAtOnce } from '../ledger/rows/rows.ts';
import type { Run } from '../ledger/runs/runs.ts';
import type { QueuedRun, QueueState, QueueTerms } from './queue-state.ts';
import type { Answer } from './run-queue.ts';

/** Stored misses that a run looks up again. */
export function findRepeatedMisses(ledger: Ledger, { kind, job }: Run, { service }: QueueTerms) {
  const { calls, misses, runs, progress } = ledger;
  const held = kind === 'trial' ? undefined : runs.newestHeld(job);
  const vanished =
    held && isHeldForVanished(held) ? misses.missed(sincePublished(ledger, held)) : [];
  const isFinishedHere = (run: Run) => run.state === 'finished' && run.service === service.url;
  return {
    vanishedCallIds: vanished.map(({ callId }) => callId),
    distrustsMisses:
      !calls.hasEverFound(service.url) &&
      runs.list(job).some((run) => isFinishedHere(run) && hasFoundNone(progress.of(run.id))),
  };
}

/** Ten lookups without one company are suspicious. */
function hasFoundNone({ rows, calls }: Counts) {
  return rows.matched + rows.suppressed === 0 && calls.made >= 10;
}

export function foundNoneAtFirst(ledger: Ledger, run: Run, counts: Counts): boolean {
  return hasFoundNone(counts) && !lastPublished(ledger, run);
}

/** A run that stopped at its probe is not continued: a new run probes again. */
export function hasStoppedAtProbe({ starts }: Ledger, run: Run): boolean {
  return starts.ofRun(run)?.reason === 'STILL_VANISHED';
}

/** A first miss expires soon enough for the next nightly run to look it up again. */
const unprovenMs = 20 * 3_600_000;
/** Without another company that was found meanwhile, a service is given this time. */
const quietMs = 48 * 3_600_000;

/** What the cache may reuse. */
export function missRuleFor(
  { calls }: Ledger,
  { vanishedCallIds, distrustsMisses, paidSince }: QueuedRun,
  reuse: ReuseTerms,
) {
  const vanished = new Set(vanishedCallIds);
  return {
    reuse: distrustsMisses ? { ...reuse, missesMs: 0 } : reuse,
    reusable(callId: number | undefined, answer: KnownAnswer) {
      const { id, result, fetchedAt } = answer;
      if (vanished.has(callId ?? 0) && result !== 'hit' && fetchedAt < paidSince) return undefined;
      if (!keptIdOf(answer)) return answer;
      const { count, forMs } = calls.missStreak(id);
      return { ...answer, maxAgeMs: Math.max(unprovenMs, count > 1 ? quietMs - forMs : 0) };
    },
  };
}

/** `foundId`: the last answer in which the service found a company. */
function isBelieved({ firstId, count, forMs }: MissStreak, foundId: number) {
  return count >= 2 && (foundId > firstId || (count >= 3 && forMs >= quietMs));
}

export const mostProbed = 10;

export type Probe = ReturnType<typeof createProbe>;

/** After a result held for vanished companies, the run looks up some of them before any other call. */
export function createProbe({ ledger, run }: QueueState) {
  const callIds = JSON.stringify(run.vanishedCallIds);
  const open = new Set(ledger.calls.listOpenAmong({ runId: run.id, callIds, limit: mostProbed }));
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
  const first = misses.missed(since);
  const vanished = findVanished(misses.countKnown(since), first.length);
  const firstIds = new Set(first.map(({ callId }) => callId));
  const later = misses.unproven(run.id).filter(({ callId }) => !firstIds.has(callId));
  const again = later.map((miss) => ({ ...miss, ...calls.missStreak(miss.missId) }));
  const after = Math.min(...again.map(({ firstId }) => firstId));
  const foundId = again.length === 0 ? 0 : misses.lastFound({ service: run.service, after });
  const { unproven = [], settled = [] } = Object.groupBy(again, (miss) =>
    miss.isHit || (run.kind !== 'trial' && isBelieved(miss, foundId ?? 0)) ? 'settled' : 'unproven',
  );
  return {
    /** Why the result is held, if many known companies are missing. */
    vanished,
    /**
     * The first time a known company is missing, its rows keep it. If a later run misses it too, it
     * is gone. Vanished companies are not kept: a held result shows what accepting it would do.
     */
    keepCompanies(terms: QueueTerms, counts: Counts) {
      const oldest = run.lastStartedAt - terms.reuse.staleOnFailureMs;
      const countedAt = ledger.clock.countedAt(run.lastStartedAt);
      const hits = new Map<number, KnownAnswer>();
      for (const { callId, answerId } of [...(vanished.length > 0 ? [] : first), ...unproven]) {
        const hit = calls.answer(answerId);
        if (hit && countedAt(hit.id, hit.fetchedAt) >= oldest) hits.set(callId, hit);
      }
      if (hits.size > 0) keepHits(ledger, run, terms, counts, hits);
    },
    /** Marks first misses even if held, so the rows keep their company if its next call fails. */
    note(isHeld: boolean) {
      for (const { callId, answerId } of first) misses.setUnproven(answerId, callId);
      if (isHeld) return;
      for (const { callId } of settled) misses.setUnproven(null, callId);
    },
    /** The vanished companies of an accepted result are gone. */
    accept() {
      const gone = isHeldForVanished(run) ? [...first, ...settled] : settled;
      for (const { callId } of gone) misses.setUnproven(null, callId);
    },
  };
}

function keepHits(
  ledger: Ledger,
  run: Run,
  { service }: QueueTerms,
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
      for (const { call, candidateIndex } of country
        ? laterCandidates({ country, candidates })
        : []) {
        const callId = calls.find(keyedCall(service.url, call).key) ?? 0;
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
export function findVanished(known: number, missed: number): Breach[] {
  const hasVanished = known >= 10 ? missed * 2 >= known : known >= 5 && missed === known;
  if (!hasVanished) return [];
  const missing = formatNumber(missed);
  const message = `vanished: ${missing} of ${formatNumber(known)} known companies were not found this time`;
  return [{ expectation: 'vanished', expected: '< 50%', found: missing, message }];
}

export function isHeldForVanished({ held }: Pick<Run, 'held'>): boolean {
  return held?.some(({ expectation }) => expectation === 'vanished') ?? false;
}

/** The answer that rows keep if a new call fails. After an unproven miss, the hit before it. */
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
