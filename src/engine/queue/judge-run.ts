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
import { verdictFor } from '../../core/rules/row-verdict.ts';
import { sampleData } from '../../core/runtime/sample-data.ts';
import { keyedCall } from '../ledger/calls/call-key.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import { type Run, runName } from '../ledger/runs/runs.ts';
import { newestWaiting } from './choose-run.ts';
import type { QueueTerms } from './queue-state.ts';
import { outcomeOf } from './store-answers.ts';

/**
 * Holds what has come out of a run against what its job expects, and gives what is not met; null where all is. A try of
 * the first rows is not judged. Rows keep companies whose miss is not proven. Runs inside a transaction, and may run
 * again.
 */
export function judgeRun(
  ledger: Ledger,
  terms: QueueTerms,
  expectations: readonly Expectation[],
  run: Run,
  counts: Counts,
): readonly Breach[] | null {
  const last = lastBefore(ledger, run);
  const publishedAt = last?.endedAt ?? 0;
  const known = ledger.judging.known({ runId: run.id, publishedAt }) ?? { calls: 0, missed: 0 };
  const misses = missesOf(ledger, run);
  // Accepting a result that is held for vanished companies believes these, and no earlier misses.
  const doubted = findVanished(known).length === 0 ? misses.first : [];
  keepCompanies(ledger, run, terms, counts, [...doubted, ...misses.kept]);
  if (run.rowLimit !== null) return null;
  const { matched, suppressed, failed, stale } = counts.rows;
  const figures = {
    rows: totalRows(counts) - suppressed,
    matched,
    suppressed,
    failed: failed + stale,
    last: last && { ...last, rows: last.rows - last.suppressed },
    known,
  };
  const breaches = findBreaches(expectations, figures);
  // Rows also keep these companies where a later call fails, held or not.
  for (const { callId, answerId } of misses.first) ledger.judging.setUnproven(answerId, callId);
  if (breaches.length > 0) return breaches;
  for (const { callId } of misses.settled) ledger.judging.setUnproven(null, callId);
  return null;
}

/** A held run is published. Its misses are believed if it was held for them. Runs inside a transaction. */
export function acceptMisses(ledger: Ledger, run: Run): void {
  const { first, settled } = missesOf(ledger, run);
  const believed = isHeldForVanished(run) ? [...first, ...settled] : settled;
  for (const { callId } of believed) ledger.judging.setUnproven(null, callId);
}

function isHeldForVanished({ held }: Run): boolean {
  return held?.some(({ expectation }) => expectation === 'vanished') ?? false;
}

/** Lookups of known companies that found nothing, with the answers that had their companies. */
function firstMisses(ledger: Ledger, run: Run) {
  const publishedAt = lastBefore(ledger, run)?.endedAt ?? 0;
  return ledger.judging.missed({ runId: run.id, publishedAt });
}

/**
 * Misses of known companies in a run. The `first` ones prove nothing. Later ones are `kept` for another night, unless the
 * run has found a company by a lookup. What is neither is `settled`.
 */
function missesOf(ledger: Ledger, run: Run) {
  const { judging } = ledger;
  const first = firstMisses(ledger, run);
  const firstIds = new Set(first.map(({ callId }) => callId));
  const later = judging.unproven(run.id).filter(({ callId }) => !firstIds.has(callId));
  const isProof = later.length > 0 && run.rowLimit === null && judging.hasFound(run.id) === 1;
  const { kept = [], settled = [] } = Object.groupBy(later, ({ isHit, isCalled }) =>
    isHit || (isCalled && isProof) ? 'settled' : 'kept',
  );
  return { first, kept, settled };
}

const rowsInBatch = 1_000;

/** Lets rows keep the companies of these calls as stale answers. They do not count as stale: they have not failed. */
function keepCompanies(
  ledger: Ledger,
  run: Run,
  { serviceUrl, reuse }: QueueTerms,
  counts: Counts,
  misses: readonly { readonly callId: number; readonly answerId: number }[],
): void {
  if (misses.length === 0) return;
  const { judging, calls, outcomes, progress } = ledger;
  const companies = new Map(misses.map(({ callId, answerId }) => [callId, answerId]));
  const since = run.lastStartedAt - reuse.staleOnFailureMs;
  const found = judging.rowsWithout(run.id, JSON.stringify([...companies.keys()]));
  const statuses = new Map(found.map(({ rowId, status }) => [rowId, status]));
  const rowIds = [...statuses.keys()];
  for (let at = 0; at < rowIds.length; at += rowsInBatch) {
    const batch = rowIds.slice(at, at + rowsInBatch);
    const kept = ledger.rows
      .readWhole(run.id, batch)
      .flatMap(({ id: rowId, country, candidates }) => {
        for (const { call, place } of country
          ? laterCandidates({ country, candidates, place: -1 })
          : []) {
          const callId = calls.find(keyedCall(serviceUrl, call).key) ?? 0;
          const answer = calls.answer(companies.get(callId) ?? 0);
          if (!answer || answer.fetchedAt < since) continue;
          const verdict = verdictFor(answer, 'reused');
          if (verdict.status !== 'matched') continue;
          return [outcomeOf({ rowId, callId, place }, answer, verdict, 1)];
        }
        return [];
      });
    for (const { rowId } of kept) counts.rows[statuses.get(rowId) ?? 'not_found'] -= 1;
    counts.rows.matched += kept.length;
    outcomes.put(run.id, kept);
  }
  progress.put(run.id, counts, progress.freshUntil(run.id));
}

/** With ten lookups or more it is odd that none has found a company. */
function hasFoundNone({ rows, calls }: Counts): boolean {
  return rows.matched + rows.suppressed === 0 && calls.made >= 10;
}

/** Whether a run of the job made ten lookups or more at a service that has never found a company. */
export function isBlindTo(ledger: Ledger, { job, serviceUrl }: QueueTerms): boolean {
  if (ledger.calls.isProven(serviceUrl)) return false;
  return ledger.runs.list(job).some(({ id, state, service }) => {
    return state === 'finished' && service === serviceUrl && hasFoundNone(ledger.progress.of(id));
  });
}

/** Lookups of known companies that missed in the last run, where it is held for that: they are made again. */
export function suspectsIn(ledger: Ledger, { job, rowLimit }: Run): number[] {
  const held = newestWaiting(ledger, job);
  if (!held || rowLimit !== null || !isHeldForVanished(held)) return [];
  return firstMisses(ledger, held).map(({ callId }) => callId);
}

/** Whether the first result of a job has no company, though it took ten lookups or more. */
export function foundNoneAtFirst(ledger: Ledger, run: Run, counts: Counts): boolean {
  return hasFoundNone(counts) && !lastBefore(ledger, run);
}

/**
 * Why the list of a run is held; undefined where it is looked up. A try of the first rows and a list that `--input` names
 * are not compared with the last result, unless the job says how. Refuses a list without rows that nothing allows.
 */
export function judgeList(
  past: Ledger | undefined,
  /** Has the rows of the run: the same as `past`, or that of a plan. */
  own: Ledger,
  expectations: readonly Expectation[],
  run: Run,
  rows: number,
  /** What was read, for a list without rows. */
  described: string,
): string | undefined {
  const isTry = run.rowLimit !== null;
  const last = isTry || !past ? undefined : lastBefore(past, run);
  const keysOf = ({ lists, rows: stored }: Ledger, listId: number) =>
    [...lists.blocks(listId)].flatMap(({ rowIds }) => stored.read(rowIds).map(({ key }) => key));
  const countKnown = () => {
    const [before] = past?.runs.comparable(run) ?? [];
    const known = new Set(past && before ? keysOf(past, before.listId) : []);
    return keysOf(own, run.listId).filter((key) => known.has(key)).length;
  };
  const isOwnList = run.inputPath === run.list;
  const judged = isTry ? [] : expectations;
  const breaches = findListBreaches(judged, rows, last, isOwnList ? countKnown : undefined);
  const isExpected = expectations.some(({ name }) => name === 'rows') && breaches.length === 0;
  if (rows === 0 && !(last && isOwnList) && !(isExpected && !isTry)) {
    throw new DossierError('LIST_EMPTY', described);
  }
  return breaches.length === 0 ? undefined : breaches.join('; ');
}

function lastBefore(ledger: Ledger, run: Run) {
  // What sample data knows says nothing about a real service. The other way round, sample data that comes
  // in the place of a real result by mistake is noticed.
  const last = ledger.runs
    .comparable(run)
    .find(({ service }) => service !== sampleData || run.service === sampleData);
  if (!last) return undefined;
  const counts = ledger.progress.of(last.id);
  const { matched, suppressed } = counts.rows;
  return {
    run: runName(last),
    rows: totalRows(counts),
    matched,
    suppressed,
    endedAt: last.finishedAt,
  };
}
