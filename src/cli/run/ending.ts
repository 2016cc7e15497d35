import { hostname } from 'node:os';
import { resolve } from 'node:path';
import type { CallRequest } from '../../core/contract/call.ts';
import { DossierError, exitCodeOf, heldReason, reasonOf } from '../../core/errors.ts';
import type { Breach } from '../../core/rules/expectations.ts';
import type { Counts } from '../../core/rules/outcomes.ts';
import { totalSpend } from '../../core/runtime/budget/money.ts';
import { printable } from '../../core/runtime/printable.ts';
import { sampleData } from '../../core/runtime/sample-data.ts';
import { startedByVariable } from '../../core/runtime/terms.ts';
import type { Run } from '../../engine/ledger/runs/runs.ts';
import type { OnCall } from '../../reach/oncall/on-call.ts';
import { RunEnd, type RunFacts } from '../../results/manifest.ts';
import type { SpentSoFar } from '../../run/calls/charges.ts';
import { exportFacts, runFacts } from '../../run/run-facts.ts';
import type { RunObserver, ToldAtStart } from '../../run/run-parts.ts';
import type { RunExport } from '../../run/write-outputs.ts';
import { failureFacts } from '../terminal/errors.ts';
import { writeOut } from '../terminal/terminal.ts';
import { fromAnywhere, nameJob } from '../terminal/text.ts';
import type { RunMessages } from './run-messages.ts';
import { type GivenJob, heldAdvice, listChanges } from './run-texts.ts';

export type Ending = ReturnType<typeof openEnding>;

/**
 * The end of a run, whatever it is: said on standard error, printed as one object where `--json` is
 * given, sent to whom is on call, and logged as the last event.
 */
export function openEnding(messages: RunMessages, isJson: boolean) {
  let onCall: OnCall | undefined;
  let record = openRecord(messages.given);
  let isPrinted = false;
  const changedIn = ({ changes }: RunEnd) => (changes ? listChanges(changes) : '');
  /** Prints the object once. Where it cannot be written, on a full disk, the program says so and ends. */
  const print = (ended: RunEnd, then: () => void) => {
    if (!isJson || isPrinted) return then();
    isPrinted = true;
    writeOut(`${printable(JSON.stringify(ended))}\n`, (error) => {
      if (!error || (error as NodeJS.ErrnoException).code === 'EPIPE') then();
    });
  };
  /**
   * Logs the last event when the object is written: only then the exit code is certain. A closed pipe
   * ends the process right after it, so that nothing may be awaited before it.
   */
  const finish = async (ended: RunEnd, report?: string) => {
    await onCall?.end(ended, changedIn(ended));
    await new Promise<void>((finished) =>
      print(ended, () => {
        messages.end(ended, report);
        finished();
      }),
    );
  };
  /** Does the same where the process leaves at once, and nothing can be waited for. */
  const leave = (ended: RunEnd) => {
    print(ended, () => {});
    messages.end(ended);
  };
  // Before that of the program: a run that crashes ends with its own words, too.
  process.prependListener('uncaughtException', (error) => {
    messages.sayFailed(error);
    const ended = record.failed(error);
    onCall?.endAtOnce(ended, changedIn(ended));
    leave(ended);
    process.exit(ended.exitCode);
  });
  return {
    /** A job is known, and who is told of its end. Gives the observer that collects what its run does. */
    begin(job: string, budget: SpentSoFar, told: OnCall | undefined) {
      onCall = told;
      record = openRecord(messages.given, job, budget);
      return record;
    },
    async done(...done: Parameters<RunMessages['sayDone']>) {
      messages.sayDone(...done);
      await finish(done[0], done[2].path());
    },
    async failed(error: unknown) {
      process.exitCode = exitCodeOf(error);
      messages.sayFailed(error);
      await finish(record.failed(error));
    },
    /** A second signal leaves at once, so that only the log hears of it. */
    cutOff(calls: readonly CallRequest[], exitCode: number) {
      messages.sayCutOff(calls);
      const code = exitCode === 130 ? 'INTERRUPTED' : 'TERMINATED';
      const message = `left at a second signal; ${calls.length} calls may have been charged without an answer`;
      leave(record.failed(new DossierError(code, message)));
    },
  };
}

/** How the command was given: by the workbench, by a user at a terminal, or by a program. */
export function startedBy() {
  if (process.env[startedByVariable] === 'page') return 'page';
  return process.stderr.isTTY ? 'terminal' : 'script';
}

const nothing: SpentSoFar = { spent: 0, spend: [], money: undefined };
const finishedCodes = [0, 3];

/** Collects what a start of a run does, and describes its end, whatever ends it. */
function openRecord(given: GivenJob, job: string | null = null, budget = nothing) {
  const beganAt = performance.now();
  let run: Run | undefined;
  let resumed = false;
  let told: ToldAtStart | undefined;
  let counts: Counts | undefined;
  let callsBefore = 0;
  let held: readonly Breach[] | null = null;
  let exported: RunExport | undefined;
  let finishedAt: number | null = null;

  const facts = (exitCode: number, reason: string | null) => {
    if (!run || !counts) return undefined;
    const before = told?.spentBefore ?? [];
    const rows = run.service === sampleData ? [] : [...before, ...budget.spend];
    const nowMs = Date.now();
    const by = { startedBy: startedBy(), host: hostname() } as const;
    const known = runFacts(
      { ...run, state: finishedAt === null ? run.state : 'finished', finishedAt, held },
      {
        counts,
        spend: totalSpend(rows),
        start: { endedAt: nowMs, exitCode, reason, ...by },
        isRunning: false,
        isWritten: exported !== undefined,
        nowMs,
      },
    );
    return { ...known, ...(exported && exportFacts(exported)) };
  };
  const endWith = (
    exitCode: number,
    words: Pick<RunEnd, 'reason' | 'message' | 'remedy'>,
    notes: readonly string[] = [],
  ): RunEnd => {
    const known = facts(exitCode, words.reason);
    const { money, possibleMoney, unpriced } = totalSpend(budget.spend);
    return {
      ...unknown,
      job,
      ...known,
      exitCode,
      ...words,
      complete: finishedAt !== null,
      resumed,
      calls: known ? { ...known.calls, made: known.calls.made - callsBefore } : null,
      requests: budget.spent,
      money: money[0] ?? null,
      possibleMoney: possibleMoney[0] ?? null,
      unpriced,
      seconds: known?.seconds ?? Math.round(performance.now() - beganAt) / 1_000,
      wholeRun: known
        ? {
            made: known.calls.made,
            requests: known.requests,
            money: known.money,
            possibleMoney: known.possibleMoney,
            unpriced: known.unpriced,
          }
        : null,
      notes: [...notes, ...(told?.notes ?? [])].map(nameJob),
      replaced: (finishedAt !== null && told?.replaces) || null,
    };
  };
  const observer = {
    onStart(started, wasStarted, current, toldAtStart) {
      run = started;
      resumed = wasStarted;
      told = toldAtStart;
      counts = current;
      callsBefore = current.calls.made;
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
      summary: { exitCode: number; endedAt: number; counts: Counts; nextRun?: string },
      notes: readonly string[],
      unstored: DossierError | undefined,
    ): RunEnd {
      ({ counts, endedAt: finishedAt } = summary);
      const words =
        held && exported
          ? heldWords(held, exported, given, summary.nextRun ?? '')
          : wordsOf(exported?.unreached ?? unstored);
      // A held result stays held, and a missing destination is reported before the ledger.
      const isOnlyUnstored = unstored && finishedCodes.includes(summary.exitCode);
      const exitCode = isOnlyUnstored ? exitCodeOf(unstored) : summary.exitCode;
      const isUntold = unstored && words.reason !== unstored.code;
      return endWith(exitCode, words, [
        ...notes,
        ...(isUntold ? [failureFacts(unstored).message] : []),
      ]);
    },
    /** The run has not finished. */
    failed: (error: unknown): RunEnd => endWith(exitCodeOf(error), wordsOf(error)),
  };
}

/** The end of a run that failed before it began. */
export function failedRun(error: unknown): RunEnd {
  return openRecord({ job: '' }).failed(error);
}

const unknown = Object.fromEntries(Object.keys(RunEnd.shape).map((name) => [name, null])) as {
  [Name in keyof RunFacts]: null;
};

function wordsOf(error: unknown) {
  if (error === undefined) return { reason: null, message: null, remedy: null };
  const { message, remedy } = failureFacts(error);
  return { reason: reasonOf(error), message, remedy };
}

/** Reason, message and remedy of a held result, for JSON and notifications, which are read in no folder. */
function heldWords(
  held: readonly Breach[],
  exported: RunExport,
  { job, output, ledger }: GivenJob,
  nextRun: string,
) {
  const breaches = held.map(({ expected, message }) =>
    message.includes(expected) ? message : `${message} (expected ${expected})`,
  );
  const given = {
    job: fromAnywhere(job),
    output: output?.includes('://') ? output : output && resolve(output),
    ledger: ledger && resolve(ledger),
  };
  return {
    reason: heldReason,
    message: `the result is not what was expected: ${breaches.join('; ')}. ${nextRun}`.trimEnd(),
    remedy: heldAdvice(exported, given, String).join(' ').replaceAll('   ', ' '),
  };
}
