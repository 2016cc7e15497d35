import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { type DossierError, exitCodeOf, heldReason, reasonOf } from '../../core/errors.ts';
import type { Breach } from '../../core/rules/expectations.ts';
import type { Counts } from '../../core/rules/outcomes.ts';
import { totalSpend } from '../../core/values/money.ts';
import { startedByVariable } from '../../core/values/variables.ts';
import type { SpentSoFar } from '../../run/calls/start-budget.ts';
import type { RunExport } from '../../run/export/export-run.ts';
import { exportFacts, runFacts, servicesFacts } from '../../run/run-facts.ts';
import type { RunObserver } from '../../run/run-parts.ts';
import { RunEnd, type RunFacts } from '../../run/run-schemas.ts';
import { failureFacts } from '../terminal/terminal.ts';
import { fromAnywhere, nameJob } from '../terminal/text.ts';
import { type GivenJob, heldAdvice } from './run-texts.ts';

export function startedBy() {
  if (process.env[startedByVariable] === 'page') return 'page';
  return process.stderr.isTTY ? 'terminal' : 'script';
}

/** What is known of a run so far. */
interface Progress {
  readonly job: string | null;
  readonly budget: SpentSoFar;
  readonly beganAt: number;
  started: Partial<Parameters<RunObserver['onStart']>>;
  counts: Counts | undefined;
  held: readonly Breach[] | null;
  exported: RunExport | undefined;
  finishedAt: number | null;
}

const nothingSpent: SpentSoFar = { spent: 0, spend: [], money: undefined };

/** Notes how a run goes, so that its end can be told whenever it comes. */
export function createEndRecord(
  given: GivenJob,
  job: string | null = null,
  budget: SpentSoFar = nothingSpent,
) {
  const soFar: Progress = {
    job,
    budget,
    beganAt: performance.now(),
    started: [],
    counts: undefined,
    held: null,
    exported: undefined,
    finishedAt: null,
  };
  const observer = {
    onStart(...start) {
      soFar.started = start;
      [, , soFar.counts] = start;
    },
    onProgress(counts) {
      soFar.counts = counts;
    },
    onChecked(breaches) {
      soFar.held = breaches;
    },
    onWritten(written) {
      soFar.exported = written;
    },
  } satisfies Partial<RunObserver>;
  return {
    ...observer,
    done(
      summary: { exitCode: number; endedAt: number; counts: Counts; nextRun: string },
      notes: readonly string[],
      snapshotError: DossierError | undefined,
    ) {
      soFar.counts = summary.counts;
      soFar.finishedAt = summary.endedAt;
      const { held, exported } = soFar;
      const words =
        held && exported
          ? heldWords(held, exported, given, summary.nextRun)
          : wordsOf(exported?.unreached ?? snapshotError);
      // A held result and a failed destination take precedence over a failed snapshot.
      const isOnlyUnstored = snapshotError && [0, 3].includes(summary.exitCode);
      const exitCode = isOnlyUnstored ? exitCodeOf(snapshotError) : summary.exitCode;
      const isUnreported = snapshotError && words.reason !== snapshotError.code;
      const more = isUnreported ? [failureFacts(snapshotError).message] : [];
      return runEnd(soFar, exitCode, words, [...notes, ...more]);
    },
    failed: (error: unknown) => runEnd(soFar, exitCodeOf(error), wordsOf(error)),
  };
}

export function failedRun(error: unknown): RunEnd {
  return createEndRecord({ job: '' }).failed(error);
}

type EndWords = Pick<RunEnd, 'reason' | 'message' | 'remedy'>;

function runEnd(
  soFar: Progress,
  exitCode: number,
  words: EndWords,
  notes: readonly string[] = [],
): RunEnd {
  const { job, budget, counts, exported, finishedAt } = soFar;
  const [run, resumed = false, countsAtStart, startFacts] = soFar.started;
  const spend = run?.isSample ? [] : budget.spend;
  const whole = wholeRun(soFar, exitCode, words.reason, spend);
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
    seconds: whole?.seconds ?? Math.round(performance.now() - soFar.beganAt) / 1_000,
    // Calls, requests and money of this command only.
    calls: whole ? { ...whole.calls, made: whole.calls.made - madeBefore } : null,
    ...(counts && servicesFacts(counts, spend, countsAtStart?.services)),
    ...totalSpend(spend),
    requests: budget.spent,
    wholeRun: whole ? wholeRunOf(whole) : null,
    notes: [...notes, ...(startFacts?.notes ?? [])].map(nameJob),
    replaced: (finishedAt !== null && startFacts?.replaces) || null,
  };
}

/** With its earlier starts. Undefined if it ended before it had a run. */
function wholeRun(
  { started, counts, finishedAt, held, exported }: Progress,
  exitCode: number,
  reason: EndWords['reason'],
  spend: SpentSoFar['spend'],
) {
  const [run, , , startFacts] = started;
  if (!run || !counts) return undefined;
  return runFacts(
    { ...run, state: finishedAt === null ? run.state : 'finished', finishedAt, held },
    {
      counts,
      spend: [...(startFacts?.spentBefore ?? []), ...spend],
      start: { endedAt: Date.now(), exitCode, reason, startedBy: startedBy(), host: hostname() },
      isRunning: false,
      isWritten: exported !== undefined,
      isUndelivered: exported?.unreached !== undefined,
    },
  );
}

function wholeRunOf({ calls, requests, money, missMoney, possibleMoney, unpriced }: RunFacts) {
  return { made: calls.made, requests, money, missMoney, possibleMoney, unpriced };
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
