import { DossierError } from '../../core/errors.ts';
import {
  type Breach,
  type Expectation,
  findBreaches,
  findListBreaches,
  findVanished,
} from '../../core/rules/expectations.ts';
import { laterCandidates } from '../../core/rules/next-candidate.ts';
import { type Counts, totalRows } from '../../core/rules/outcomes.ts';
import { isBelieved } from '../../core/rules/reuse.ts';
import { verdictFor } from '../../core/rules/row-verdict.ts';
import { keyedCall } from '../ledger/calls/call-key.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import { type Run, runName } from '../ledger/runs/runs.ts';
import { measureFills } from './measure-fills.ts';
import type { QueueTerms } from './queue-state.ts';
import { outcomeOf, outcomesAtOnce } from './store-answers.ts';

/**
 * A first miss of a known company is unproven; later misses prove it (`isBelieved`). Many first
 * misses hold the result until it is accepted. Call inside a transaction; may be repeated.
 */
export function checkResult(
  ledger: Ledger,
  terms: QueueTerms,
  expectations: readonly Expectation[],
  run: Run,
  counts: Counts,
): readonly Breach[] | null {
  const last = lastBefore(ledger, run);
  const known = ledger.misses.known(sincePublished(ledger, run)) ?? { calls: 0, missed: 0 };
  const misses = missesOf(ledger, run);
  // If many known companies vanish, the result is held with these misses; accepting it proves them.
  const first = findVanished(known).length === 0 ? misses.first : [];
  keepCompanies(ledger, run, terms, counts, [...first, ...misses.kept]);
  if (run.kind === 'trial') return null;
  const { matched, suppressed, failed, stale } = counts.rows;
  // A job without a published result is compared with answers from before its first run.
  const firstStart = ledger.runs.list(run.job).at(-1)?.startedAt;
  const figures = {
    rows: totalRows(counts) - suppressed,
    matched,
    suppressed,
    failed: failed + stale,
    last: last && { ...last, rows: last.rows - last.suppressed },
    known,
    fills: measureFills(ledger, run, sincePublished(ledger, run, firstStart)),
  };
  const breaches = findBreaches(expectations, figures);
  // Marks first misses as unproven even if the run is held, so the rows keep their company if its
  // next call fails.
  for (const { callId, answerId } of misses.first) ledger.misses.setUnproven(answerId, callId);
  if (breaches.length > 0) return breaches;
  for (const { callId } of misses.settled) ledger.misses.setUnproven(null, callId);
  const { job } = run;
  for (const { field, now } of figures.fills.fields)
    ledger.fills.recover({ job, field, share: now });
  return null;
}

/** Vanished companies are gone, and lost values hold no later result. Call inside a transaction. */
export function acceptHeld(ledger: Ledger, run: Run): void {
  const { first, settled } = missesOf(ledger, run);
  const believed = isHeldForVanished(run) ? [...first, ...settled] : settled;
  for (const { callId } of believed) ledger.misses.setUnproven(null, callId);
  for (const { field, now } of run.held?.flatMap(({ fields = [] }) => fields) ?? []) {
    ledger.fills.accept({ job: run.job, field, share: now });
  }
}

function isHeldForVanished({ held }: Run) {
  return held?.some(({ expectation }) => expectation === 'vanished') ?? false;
}

function firstMisses(ledger: Ledger, run: Run) {
  return ledger.misses.missed(sincePublished(ledger, run));
}

function sincePublished(ledger: Ledger, run: Run, otherwise = 0) {
  const { endedAt, lastAnswerId } = lastBefore(ledger, run) ?? {};
  const publishedAt = endedAt ?? otherwise;
  const publishedId =
    lastAnswerId ?? (publishedAt > 0 ? ledger.runs.answerBefore(publishedAt) : undefined) ?? 0;
  return { runId: run.id, publishedId, publishedAt };
}

/**
 * - `first`: known companies missed for the first time.
 * - `settled`: found again, or missed as often as a run of the whole list believes.
 * - `kept`: other unproven misses, whose rows keep the old company.
 */
function missesOf(ledger: Ledger, run: Run) {
  const { misses } = ledger;
  const first = firstMisses(ledger, run);
  const firstIds = new Set(first.map(({ callId }) => callId));
  const later = misses.unproven(run.id).filter(({ callId }) => !firstIds.has(callId));
  const again = later.map((miss) => ({ ...miss, ...ledger.calls.missRun(miss.missId) }));
  const after = Math.min(...again.map(({ firstId }) => firstId));
  const foundId = again.length === 0 ? 0 : misses.lastFound({ service: run.service, after });
  const { kept = [], settled = [] } = Object.groupBy(again, (miss) =>
    miss.isHit || (run.kind !== 'trial' && isBelieved(miss, foundId ?? 0)) ? 'settled' : 'kept',
  );
  return { first, kept, settled };
}

/** Rows keep the company of an unproven miss. They do not count as stale: no call failed. */
function keepCompanies(
  ledger: Ledger,
  run: Run,
  { service, reuse }: QueueTerms,
  counts: Counts,
  misses: readonly { readonly callId: number; readonly answerId: number }[],
) {
  if (misses.length === 0) return;
  const { calls, outcomes, progress } = ledger;
  const companies = new Map(misses.map(({ callId, answerId }) => [callId, answerId]));
  const since = run.lastStartedAt - reuse.staleOnFailureMs;
  const countedAt = ledger.clock.countedAt(run.lastStartedAt);
  const found = ledger.misses.rowsWithout(run.id, JSON.stringify([...companies.keys()]));
  const statuses = new Map(found.map(({ rowId, status }) => [rowId, status]));
  const rowIds = [...statuses.keys()];
  for (let at = 0; at < rowIds.length; at += outcomesAtOnce) {
    const batch = rowIds.slice(at, at + outcomesAtOnce);
    const kept = ledger.rows
      .readWhole(run.id, batch)
      .flatMap(({ id: rowId, country, candidates }) => {
        for (const { call, candidateIndex } of country
          ? laterCandidates({ country, candidates })
          : []) {
          const callId = calls.find(keyedCall(service.url, call).key) ?? 0;
          const answer = calls.answer(companies.get(callId) ?? 0);
          if (!answer || countedAt(answer.id, answer.fetchedAt) < since) continue;
          const verdict = verdictFor(answer, 'reused');
          if (verdict.status !== 'matched') continue;
          return [outcomeOf({ rowId, callId, candidateIndex }, answer, verdict, 1)];
        }
        return [];
      });
    for (const { rowId } of kept) counts.rows[statuses.get(rowId) ?? 'not_found'] -= 1;
    counts.rows.matched += kept.length;
    outcomes.put(run.id, kept);
  }
  progress.put(run.id, counts, progress.freshUntil(run.id));
}

/** Ten lookups without one company are suspicious. */
function hasFoundNone({ rows, calls }: Counts) {
  return rows.matched + rows.suppressed === 0 && calls.made >= 10;
}

export function isBlindTo(ledger: Ledger, { job, service: { url } }: QueueTerms): boolean {
  if (ledger.calls.hasEverFound(url)) return false;
  return ledger.runs.list(job).some(({ id, state, service }) => {
    return state === 'finished' && service === url && hasFoundNone(ledger.progress.of(id));
  });
}

export function suspectsIn(ledger: Ledger, { job, kind }: Run): number[] {
  const held = ledger.runs.newestHeld(job);
  if (!held || kind === 'trial' || !isHeldForVanished(held)) return [];
  return firstMisses(ledger, held).map(({ callId }) => callId);
}

export function foundNoneAtFirst(ledger: Ledger, run: Run, counts: Counts): boolean {
  return hasFoundNone(counts) && !lastBefore(ledger, run);
}

/** With `--input`, the list is compared with the last result only if the job sets `rowsDrop`. */
export function listCheck(
  past: Ledger,
  /** The ledger of `run`. A plan uses a scratch ledger. */
  own: Ledger,
) {
  return (expectations: readonly Expectation[], run: Run, rows: number, described: string) => {
    const isTrial = run.kind === 'trial';
    const last = isTrial ? undefined : lastBefore(past, run);
    const keysOf = ({ lists, rows: stored }: Ledger, listId: number) =>
      [...lists.blocks(listId)].flatMap(({ rowIds }) => stored.read(rowIds).map(({ key }) => key));
    const countKnown = () => {
      const [before] = past.runs.comparable(run);
      const known = new Set(before ? keysOf(past, before.listId) : []);
      return keysOf(own, run.listId).filter((key) => known.has(key)).length;
    };
    const isOwnList = run.inputPath === run.list;
    const applied = isTrial ? [] : expectations;
    const breaches = findListBreaches(applied, rows, last, isOwnList ? countKnown : undefined);
    const isExpected = expectations.some(({ name }) => name === 'rows') && breaches.length === 0;
    if (rows === 0 && !(last && isOwnList) && !(isExpected && !isTrial)) {
      throw new DossierError('LIST_EMPTY', described);
    }
    return breaches.length === 0 ? undefined : breaches.join('; ');
  };
}

function lastBefore(ledger: Ledger, run: Run) {
  // Sample data is compared with any result, so it never replaces a real one unnoticed.
  const last = ledger.runs.comparable(run).find(({ isSample }) => !isSample || run.isSample);
  if (!last) return undefined;
  const counts = ledger.progress.of(last.id);
  const { matched, suppressed } = counts.rows;
  return {
    run: runName(last),
    rows: totalRows(counts),
    matched,
    suppressed,
    endedAt: last.finishedAt,
    lastAnswerId: last.lastAnswerId,
  };
}
