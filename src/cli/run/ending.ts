import { hostname } from 'node:os';
import { resolve } from 'node:path';
import type { Call } from '../../core/contract/call.ts';
import { DossierError, exitCodeOf, heldReason, reasonOf } from '../../core/errors.ts';
import type { Breach } from '../../core/rules/expectations.ts';
import type { Counts } from '../../core/rules/outcomes.ts';
import { totalSpend } from '../../core/values/money.ts';
import { printable } from '../../core/values/printable.ts';
import { startedByVariable } from '../../core/values/terms.ts';
import type { OnCall } from '../../integrations/oncall/on-call.ts';
import type { SpentSoFar } from '../../run/calls/start-budget.ts';
import type { RunExport } from '../../run/export/export-run.ts';
import { exportFacts, runFacts, servicesFacts } from '../../run/run-facts.ts';
import type { RunObserver } from '../../run/run-parts.ts';
import { RunEnd, type RunFacts } from '../../run/run-schemas.ts';
import { failureFacts, writeOut } from '../terminal/terminal.ts';
import { fromAnywhere, nameJob } from '../terminal/text.ts';
import type { RunMessages } from './run-messages.ts';
import { type GivenJob, heldAdvice } from './run-texts.ts';

export function createEnding(messages: RunMessages, isJson: boolean) {
  let onCall: OnCall | undefined;
  let record = createEndRecord(messages.given);
  let isPrinted = false;
  const print = (ended: RunEnd, then: () => void) => {
    if (!isJson || isPrinted) return then();
    isPrinted = true;
    writeOut(`${printable(JSON.stringify(ended))}\n`, (error) => {
      if (!error || (error as NodeJS.ErrnoException).code === 'EPIPE') then();
    });
  };
  /** Logs in the same turn as it prints, because a closed pipe ends the process right after. */
  const finish = async (ended: RunEnd, report?: string) => {
    await onCall?.end(ended);
    await new Promise<void>((finished) =>
      print(ended, () => {
        messages.end(ended, report);
        finished();
      }),
    );
  };
  /** The process exits at once, so nothing is awaited. */
  const leave = (ended: RunEnd) => {
    print(ended, () => {});
    messages.end(ended);
  };
  // Runs before the program's own listener, so a crash also logs `run.ended`.
  process.prependListener('uncaughtException', (error) => {
    messages.sayFailed(error);
    const ended = record.failed(error);
    leave(ended);
    process.exit(ended.exitCode);
  });
  return {
    begin(job: string, budget: SpentSoFar, onCallOfJob: OnCall | undefined) {
      onCall = onCallOfJob;
      record = createEndRecord(messages.given, job, budget);
      return record;
    },
    async done(...done: Parameters<RunMessages['sayDone']>) {
      messages.sayDone(...done);
      await finish(done[0], done[2].path());
    },
    async failed(error: unknown) {
      process.exitCode = exitCodeOf(error);
      const ended = record.failed(error);
      messages.sayFailed(error);
      messages.saySpent(ended);
      await finish(ended);
    },
    /** After a second signal there is no time to notify. */
    cutOff(calls: readonly Call[], exitCode: number) {
      messages.sayCutOff(calls);
      const code = exitCode === 130 ? 'INTERRUPTED' : 'TERMINATED';
      const message = `second signal; calls that may have been charged without an answer: ${calls.length}`;
      const ended = record.failed(new DossierError(code, message));
      messages.saySpent(ended);
      leave(ended);
    },
  };
}

export function startedBy() {
  if (process.env[startedByVariable] === 'page') return 'page';
  return process.stderr.isTTY ? 'terminal' : 'script';
}

function createEndRecord(
  given: GivenJob,
  job: string | null = null,
  budget: SpentSoFar = { spent: 0, spend: [], money: undefined },
) {
  const beganAt = performance.now();
  let started: Partial<Parameters<RunObserver['onStart']>> = [];
  let counts: Counts | undefined;
  let held: readonly Breach[] | null = null;
  let exported: RunExport | undefined;
  let finishedAt: number | null = null;

  const endWith = (
    exitCode: number,
    words: Pick<RunEnd, 'reason' | 'message' | 'remedy'>,
    notes: readonly string[] = [],
  ): RunEnd => {
    const [run, resumed = false, countsAtStart, startFacts] = started;
    const { reason } = words;
    const spend = run?.isSample ? [] : budget.spend;
    const whole =
      run &&
      counts &&
      runFacts(
        { ...run, state: finishedAt === null ? run.state : 'finished', finishedAt, held },
        {
          counts,
          spend: [...(startFacts?.spentBefore ?? []), ...spend],
          start: {
            endedAt: Date.now(),
            exitCode,
            reason,
            startedBy: startedBy(),
            host: hostname(),
          },
          isRunning: false,
          isWritten: exported !== undefined,
          isUndelivered: exported?.unreached !== undefined,
        },
      );
    const madeBefore = countsAtStart?.calls.made ?? 0;
    return {
      ...nullRunEnd,
      job,
      ...whole,
      ...(exported && exportFacts(exported)),
      exitCode,
      ...words,
      complete: finishedAt !== null,
      resumed,
      seconds: whole?.seconds ?? Math.round(performance.now() - beganAt) / 1_000,
      // Calls, requests and money of this command only.
      calls: whole ? { ...whole.calls, made: whole.calls.made - madeBefore } : null,
      ...(counts && servicesFacts(counts, spend, countsAtStart?.services)),
      ...totalSpend(spend),
      requests: budget.spent,
      wholeRun: whole ? wholeRunOf(whole) : null,
      notes: [...notes, ...(startFacts?.notes ?? [])].map(nameJob),
      replaced: (finishedAt !== null && startFacts?.replaces) || null,
    };
  };
  const observer = {
    onStart(...start) {
      started = start;
      [, , counts] = start;
    },
    onProgress(current) {
      counts = current;
    },
    onChecked(breaches) {
      held = breaches;
    },
    onWritten(written) {
      exported = written;
    },
  } satisfies Partial<RunObserver>;
  return {
    ...observer,
    done(
      summary: { exitCode: number; endedAt: number; counts: Counts; nextRun: string },
      notes: readonly string[],
      snapshotError: DossierError | undefined,
    ) {
      ({ counts, endedAt: finishedAt } = summary);
      const words =
        held && exported
          ? heldWords(held, exported, given, summary.nextRun)
          : wordsOf(exported?.unreached ?? snapshotError);
      // A held result and a failed destination take precedence over a failed snapshot.
      const isOnlyUnstored = snapshotError && [0, 3].includes(summary.exitCode);
      const exitCode = isOnlyUnstored ? exitCodeOf(snapshotError) : summary.exitCode;
      const isUnreported = snapshotError && words.reason !== snapshotError.code;
      return endWith(exitCode, words, [
        ...notes,
        ...(isUnreported ? [failureFacts(snapshotError).message] : []),
      ]);
    },
    failed: (error: unknown) => endWith(exitCodeOf(error), wordsOf(error)),
  };
}

function wholeRunOf({ calls, requests, money, possibleMoney, unpriced }: RunFacts) {
  return { made: calls.made, requests, money, possibleMoney, unpriced };
}

export function failedRun(error: unknown) {
  return createEndRecord({ job: '' }).failed(error);
}

/** Also gives the keys of the JSON their order. */
const nullRunEnd = Object.fromEntries(
  Object.keys(RunEnd.omit({ services: true }).shape).map((name) => [name, null]),
) as { [Name in Exclude<keyof RunFacts, 'services'>]: null };

function wordsOf(error: unknown) {
  if (error === undefined) return { reason: null, message: null, remedy: null };
  const { message, remedy } = failureFacts(error);
  return { reason: reasonOf(error), message, remedy };
}

/** Absolute paths, because the reader may be in another folder or on another machine. */
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
    remedy: heldAdvice(held, exported, given, String).join(' ').replaceAll('   ', ' '),
  };
}
