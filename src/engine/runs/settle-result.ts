import { DossierError } from '../../core/errors.ts';
import {
  type Breach,
  type Expectation,
  findBreaches,
  findListBreaches,
} from '../../core/rules/expectations.ts';
import { type Counts, totalRows } from '../../core/rules/outcomes.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import { type Run, runName } from '../ledger/runs/runs.ts';
import { lastPublished, sinceLastResult } from '../queue/misses/last-result.ts';
import {
  findMissed,
  keepCompanies,
  markAccepted,
  markKept,
} from '../queue/misses/settle-misses.ts';
import type { QueueTerms } from '../queue/queue-terms.ts';
import { measureFills } from './measure-fills.ts';

export interface SettledResult {
  /** Null if the result may be published. */
  readonly held: readonly Breach[] | null;
  readonly counts: Counts;
}

/**
 * Checks the result, and stores which rows keep a missed company and which fields recovered. Call
 * inside a transaction; may be repeated.
 */
export function settleResult(
  ledger: Ledger,
  terms: QueueTerms,
  expectations: readonly Expectation[],
  run: Run,
  countsOfCalls: Counts,
): SettledResult {
  const missed = findMissed(ledger, run);
  const counts = keepCompanies(ledger, run, terms, missed, countsOfCalls);
  if (run.kind === 'trial') return { held: null, counts };
  const { matched, suppressed, failed, stale } = counts.rows;
  // A job without a published result is compared with answers from before its first run.
  const firstStart = ledger.runs.list(run.job).at(-1)?.startedAt;
  const figures = {
    rows: totalRows(counts) - suppressed,
    matched,
    suppressed,
    failed: failed + stale,
    last: lastFigures(ledger, run),
    fills: measureFills(ledger, run, sinceLastResult(ledger, run, firstStart)),
  };
  const breaches = [...findBreaches(expectations, figures), ...missed.vanished];
  markKept(ledger, missed, breaches.length > 0);
  if (breaches.length > 0) return { held: breaches, counts };
  const { job } = run;
  for (const { field, now } of figures.fills.fields)
    ledger.fills.recover({ job, field, share: now });
  return { held: null, counts };
}

/** Vanished companies are gone, and lost values hold no later result. Call inside a transaction. */
export function acceptHeld(ledger: Ledger, run: Run): void {
  markAccepted(ledger, run);
  for (const { field, now } of run.held?.flatMap(({ fields = [] }) => fields) ?? []) {
    ledger.fills.accept({ job: run.job, field, share: now });
  }
}

/** A list of `--input` is not compared with the last result, unless the job sets `rowsDrop`. */
export function listCheck(
  past: Ledger,
  /** The ledger of `run`. A plan uses a scratch ledger. */
  own: Ledger,
) {
  return (expectations: readonly Expectation[], run: Run, rows: number, described: string) => {
    const isTrial = run.kind === 'trial';
    const last = isTrial ? undefined : lastFigures(past, run);
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
    const isExpected = applied.some(({ name }) => name === 'rows') && breaches.length === 0;
    if (rows === 0 && !(last && isOwnList) && !isExpected) {
      throw new DossierError('LIST_EMPTY', described);
    }
    return breaches.length === 0 ? undefined : breaches.join('; ');
  };
}

function lastFigures(ledger: Ledger, run: Run) {
  const last = lastPublished(ledger, run);
  if (!last) return undefined;
  const counts = ledger.progress.counts(last.id);
  const { matched, suppressed } = counts.rows;
  return { run: runName(last), rows: totalRows(counts), matched, suppressed };
}
