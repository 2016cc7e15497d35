import { relative } from 'node:path';
import type { CallRequest } from '../../contract/call.ts';
import type { DossierError } from '../../errors.ts';
import type { SpentSoFar } from '../../run/calls/charges.ts';
import type { RunSummary } from '../../run/run-job.ts';
import { type Log, type LogFormat, openLog } from '../../runtime/log/log.ts';
import { printable } from '../../runtime/printable.ts';
import { failureFacts, failureText } from '../terminal/errors.ts';
import { openProgress, silentProgress } from '../terminal/progress.ts';
import { cutOffText } from './cut-off.ts';
import { type EndFacts, type KnownRun, openRunEnding, type RunEnding } from './run-ending.ts';
import { type RunProgress, showRun } from './run-progress.ts';
import { summaryText } from './run-summary.ts';
import type { GivenJob } from './start-texts.ts';

/**
 * How a run speaks on standard error: in sentences and a progress line, with its log between them, or,
 * where the log is JSON, in events alone. Either way the last event is `run.ended`.
 */
export interface RunVoice extends Disposable {
  readonly log: Log;
  /** The job as it stands on the command line. */
  readonly given: GivenJob;
  /** Gives the observers that show a run. From here on `run.ended` carries its counts. */
  show(job: string, budget: SpentSoFar): Partial<RunProgress>[];
  /** Tells what people should know before the run begins. */
  sayNote(note: string): void;
  sayLive(url: string): void;
  /** Names the calls that a second signal cuts off. */
  sayCutOff(calls: readonly CallRequest[]): void;
  sayDone(done: DoneRun): void;
  sayFailed(error: unknown): void;
  /** What is known of the run so far. */
  known(): KnownRun;
  /** The last event. */
  end(exitCode: number, facts?: EndFacts): void;
}

export interface DoneRun {
  readonly summary: RunSummary;
  readonly report: string | undefined;
  /** Why there is no report. */
  readonly trouble: string;
  /** Why its ledger was not stored, where that is to be kept elsewhere. */
  readonly unstored?: DossierError | undefined;
}

export function openRunVoice(given: GivenJob, format: LogFormat, level: string): RunVoice {
  const log = openLog({ format, level });
  return format === 'json' ? eventVoice(log, given) : plainVoice(log, given);
}

function plainVoice(log: Log, given: GivenJob): RunVoice {
  const progress = openProgress();
  let ending = openRunEnding(log);
  const write = (text: string) => {
    // The progress line is cleared first; the next progress draws it again below.
    progress[Symbol.dispose]();
    process.stderr.write(text);
  };
  return {
    ...{ log, given },
    show(job, budget) {
      ending = openRunEnding(log, job, budget);
      const say = (sentence: string) => write(`${sentence}\n`);
      return [showRun(progress, log, { say, given, budget }), ending];
    },
    sayNote: (note) => write(`${note}\n`),
    sayLive: (url) => write(`Live: ${url}\n`),
    sayCutOff: (calls) => write(cutOffText(calls, process.stderr)),
    sayDone({ summary, report, trouble, unstored }) {
      write(summaryText(summary, given, process.stderr));
      write(report ? `Report: ${printable(relative(process.cwd(), report))}\n` : trouble);
      const { unreached } = summary.exported;
      if (unreached) write(failureText(unreached, process.stderr));
      if (unstored) write(failureText(unstored, process.stderr));
    },
    sayFailed: (error) => write(failureText(error, process.stderr)),
    known: () => ending.known(),
    end: (...facts) => ending.end(...facts),
    [Symbol.dispose]: () => progress[Symbol.dispose](),
  };
}

function eventVoice(log: Log, given: GivenJob): RunVoice {
  // That a run stops, and how it ends, is told whatever level the log has.
  const certain = log.child({}, { level: 'info' });
  let ending: RunEnding = openRunEnding(certain);
  return {
    ...{ log, given },
    show(job, budget) {
      ending = openRunEnding(certain, job, budget);
      // The stop is logged here alone, so that it is logged once.
      const { onStop } = showRun(silentProgress, certain);
      return [{ ...showRun(silentProgress, log, { given }), onStop }, ending];
    },
    sayNote: (note) => log.info({ note }, 'run.noted'),
    sayLive: (url) => certain.info({ url }, 'view.opened'),
    sayCutOff: (calls) => certain.warn({ unanswered: calls }, 'run.cut_off'),
    sayDone({ summary, trouble, unstored }) {
      const { unreached } = summary.exported;
      if (unreached) certain.error(failureFacts(unreached), 'output.unreached');
      if (trouble !== '') log.warn({ reason: trouble.trim() }, 'report.missing');
      if (unstored) certain.error(failureFacts(unstored), 'snapshot.unstored');
    },
    sayFailed: (error) => certain.error(failureFacts(error), 'run.failed'),
    known: () => ending.known(),
    end: (...facts) => ending.end(...facts),
    [Symbol.dispose]() {},
  };
}
