import { type Run, runName } from '../../ledger/runs/runs.ts';
import { noChanges } from '../../records/changes.ts';
import type { Breach } from '../../rules/expectations.ts';
import { answeredCalls, type Counts, totalRows } from '../../rules/outcomes.ts';
import type { SpentSoFar } from '../../run/calls/charges.ts';
import type { RunObserver, ToldAtStart } from '../../run/run-parts.ts';
import type { RunExport } from '../../run/write-outputs.ts';
import { type Money, moneyJson } from '../../runtime/budget/money.ts';
import type { Log } from '../../runtime/log/log.ts';
import { placeFacts } from '../places.ts';
import { writtenRows } from './run-json.ts';

/** What is known of a run at the moment of asking. */
export interface KnownRun {
  readonly job: string | undefined;
  /** Undefined until its list is read. */
  readonly run: Run | undefined;
  readonly isResumed: boolean;
  readonly told: ToldAtStart | undefined;
  readonly counts: Counts | undefined;
  /** Calls that earlier starts of the run had answered. */
  readonly callsBefore: number;
  /** Expectations that were not met; null where none is known. */
  readonly held: readonly Breach[] | null;
  /** Its files, once they are written. */
  readonly exported: RunExport | undefined;
  /** Requests of this start that may be charged. */
  readonly requests: number;
  /** What these cost; undefined where the job tells no price. */
  readonly money: Money | undefined;
  /** Since the command began. */
  readonly seconds: number;
}

/** Logs `run.ended`, whatever ends the run: without it a reader of the log could only guess. */
export interface RunEnding
  extends Required<Pick<RunObserver, 'onStart' | 'onProgress' | 'onJudged' | 'onWritten'>> {
  known(): KnownRun;
  end(exitCode: number, facts?: EndFacts): void;
}

export interface EndFacts {
  /** Code of the error that ended it. */
  readonly reason?: string | undefined;
  readonly report?: string | undefined;
}

const nothing: SpentSoFar = { spent: 0, money: undefined };

export function openRunEnding(log: Log, job?: string, budget = nothing): RunEnding {
  const startedAt = performance.now();
  let run: Run | undefined;
  let isResumed = false;
  let told: ToldAtStart | undefined;
  let counts: Counts | undefined;
  let callsBefore = 0;
  let exported: RunExport | undefined;
  let held: readonly Breach[] | null = null;
  const known = () => {
    const seconds = Math.round(performance.now() - startedAt) / 1_000;
    const { spent: requests, money } = budget;
    const stood = { counts, callsBefore, held, exported, requests, money, seconds };
    return { job, run, isResumed, told, ...stood };
  };
  return {
    onStart(started, wasStarted, current, toldAtStart) {
      run = started;
      isResumed = wasStarted;
      told = toldAtStart;
      counts = current;
      callsBefore = answeredCalls(current.calls);
    },
    onProgress(current) {
      counts = current;
    },
    onJudged(breaches) {
      held = breaches;
    },
    onWritten(written) {
      exported = written;
    },
    known,
    end(exitCode, { reason, ...facts } = {}) {
      const { seconds, requests: spent } = known();
      const money = budget.money && moneyJson(budget.money);
      const changes = exported && changeFacts(exported);
      const costs = { requests: spent, ...(money && { money }) };
      const { rows, people } = resultFacts(known()) ?? {};
      const stood = { rows, calls: callFacts(known()), people, changes, ...costs };
      const name = run && runName(run);
      const ended = { exitCode, reason, held: held?.map(({ message }) => message) };
      const places = exported?.places.map(placeFacts);
      const written = { folder: exported?.folder, places, ...facts };
      log.info({ job, run: name, ...ended, ...stood, seconds, ...written }, 'run.ended');
    },
  };
}

/**
 * Rows and people as the files of a run have them. Where none were written they are as in its queue, in which
 * a row that keeps an older answer is open.
 */
export function resultFacts({ counts, exported }: Pick<KnownRun, 'counts' | 'exported'>) {
  if (exported) return { rows: writtenRows(exported.counts), people: exported.counts.people };
  if (!counts) return undefined;
  const { rows, stale, people } = counts;
  const changes = noChanges();
  return {
    rows: writtenRows({ rows: totalRows(counts), ...rows, stale, people, changes }),
    people,
  };
}

/** The changes by the names that `run --json` has for them; undefined where nothing was compared. */
function changeFacts({ changesSince: since, counts }: RunExport) {
  return since === null ? undefined : { since, ...counts.changes };
}

/** The calls by the names that `run --json` has for them; `made` are those of this start. */
export function callFacts({ counts, callsBefore }: Pick<KnownRun, 'counts' | 'callsBefore'>) {
  if (!counts) return undefined;
  const { called: _, ...others } = counts.calls;
  return { made: answeredCalls(counts.calls) - callsBefore, ...others };
}
