import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { type DossierError, exitCodeOf, heldReason, reasonOf } from '../../errors.ts';
import type { Run } from '../../ledger/runs/runs.ts';
import type { Breach } from '../../rules/expectations.ts';
import { answeredCalls, type Counts } from '../../rules/outcomes.ts';
import { totalSpend } from '../../rules/total-spend.ts';
import type { SpentSoFar } from '../../run/calls/charges.ts';
import { runFacts, withExport } from '../../run/run-facts.ts';
import type { RunObserver, ToldAtStart } from '../../run/run-parts.ts';
import type { RunExport } from '../../run/write-outputs.ts';
import { moneyJson } from '../../runtime/budget/money.ts';
import { sampleData } from '../../runtime/sample-data.ts';
import { RunEnd, type RunFacts } from '../../sinks/manifest.ts';
import { failureFacts } from '../terminal/errors.ts';
import { fromAnywhere, nameJob } from '../terminal/text.ts';
import { acceptCommand, type GivenJob } from './start-texts.ts';
import { startedBy } from './started-by.ts';

const nothing: SpentSoFar = { spent: 0, money: undefined };
const noWords = { reason: null, message: null, remedy: null };
const finishedCodes = [0, 3];

/** Collects what a start of a run does, and describes its end, whatever ends it. */
export function openRunRecord(given: GivenJob, job: string | null = null, budget = nothing) {
  const beganAt = performance.now();
  let run: Run | undefined;
  let isResumed = false;
  let told: ToldAtStart | undefined;
  let counts: Counts | undefined;
  let callsBefore = 0;
  let held: readonly Breach[] | null = null;
  let exported: RunExport | undefined;
  let finishedAt: number | null = null;

  const facts = (exitCode: number, reason: string | null) => {
    if (!run || !counts) return undefined;
    const { money, spent: requests } = budget;
    const now = { requests, currency: money?.currency ?? '', micros: money?.micros ?? 0 };
    const rows = run.service === sampleData ? [] : [...(told?.spentBefore ?? []), now];
    const start = {
      endedAt: Date.now(),
      exitCode,
      reason,
      startedBy: startedBy(process.env, process.stderr),
      host: hostname(),
    };
    const state = finishedAt === null ? run.state : 'finished';
    const known = runFacts(
      { ...run, state, finishedAt, held },
      {
        counts,
        spend: totalSpend(rows),
        start,
        isRunning: false,
        isWritten: exported !== undefined,
        nowMs: Date.now(),
      },
    );
    return exported ? withExport(known, exported) : known;
  };
  const endWith = (
    exitCode: number,
    words: Pick<RunEnd, 'reason' | 'message' | 'remedy'>,
    notes: readonly string[],
  ): RunEnd => {
    const known = facts(exitCode, words.reason);
    const seconds = Math.round(performance.now() - beganAt) / 1_000;
    return {
      ...unknown,
      job,
      ...known,
      exitCode,
      ...words,
      complete: finishedAt !== null,
      resumed: isResumed,
      calls: known ? { ...known.calls, made: known.calls.made - callsBefore } : null,
      requests: budget.spent,
      money: budget.money ? moneyJson(budget.money) : null,
      seconds: known?.seconds ?? seconds,
      wholeRun: known
        ? { made: known.calls.made, requests: known.requests, money: known.money }
        : null,
      notes: [...notes, ...(told?.notes ?? [])].map(nameJob),
      replaced: (finishedAt !== null && told?.replaces) || null,
    };
  };
  const observer = {
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
  } satisfies Partial<RunObserver>;
  return {
    ...observer,
    /** The run has finished. `unstored` says why its ledger could not be stored elsewhere. */
    done(
      summary: { exitCode: number; endedAt: number; counts: Counts },
      notes: readonly string[],
      unstored: DossierError | undefined,
    ): RunEnd {
      ({ counts, endedAt: finishedAt } = summary);
      const failure = unstored ?? exported?.unreached;
      const words =
        held && exported
          ? heldWords(held, exported, given)
          : failure
            ? wordsOf(exported?.unreached ?? failure)
            : noWords;
      // A held result stays held, and a missing destination is reported before the ledger.
      const isOnlyUnstored = unstored && finishedCodes.includes(summary.exitCode);
      const exitCode = isOnlyUnstored ? exitCodeOf(unstored) : summary.exitCode;
      const isUntold = unstored && words.reason !== unstored.code;
      const more = isUntold ? [failureFacts(unstored).message] : [];
      return endWith(exitCode, words, [...notes, ...more]);
    },
    /** The run has not finished. */
    failed: (error: unknown): RunEnd => endWith(exitCodeOf(error), wordsOf(error), []),
  };
}

/** The end of a run that failed before it began. */
export function failedRun(error: unknown): RunEnd {
  return openRunRecord({ job: '' }).failed(error);
}

const unknown = Object.fromEntries(Object.keys(RunEnd.shape).map((name) => [name, null])) as {
  [Name in keyof RunFacts]: null;
};

function wordsOf(error: unknown) {
  const { message, remedy } = failureFacts(error);
  return { reason: reasonOf(error), message, remedy };
}

/** Reason, message and remedy of a held result, for JSON and notifications. */
function heldWords(held: readonly Breach[], exported: RunExport, given: GivenJob) {
  const breaches = held.map(({ expected, message }) =>
    message.includes(expected) ? message : `${message} (expected ${expected})`,
  );
  const stand = exported.changesSince
    ? `The last good files, of ${exported.changesSince}, stand as they were`
    : 'No other file was changed';
  const where =
    exported.folder === null
      ? 'the new result is in the ledger'
      : `the new ones are in ${exported.folder}`;
  return {
    reason: heldReason,
    message: `the result is not what was expected: ${breaches.join('; ')}`,
    remedy: `${stand}; ${where}. If the result is right, this publishes it: ${acceptCommand(withoutFolder(given))}. If not, do nothing: the next run asks again for what was not found.`,
  };
}

/** The job by absolute paths, as a chat is read in no folder. */
function withoutFolder({ job, output, ledger }: GivenJob): GivenJob {
  return {
    job: fromAnywhere(job),
    output: output?.includes('://') ? output : output && resolve(output),
    ledger: ledger && resolve(ledger),
  };
}
