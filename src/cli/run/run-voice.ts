import { relative } from 'node:path';
import type { CallRequest } from '../../contract/call.ts';
import { exitCodeOf } from '../../errors.ts';
import type { RunSummary } from '../../run/run-job.ts';
import { type Log, type LogFormat, openLog } from '../../runtime/log/log.ts';
import { printable } from '../../runtime/printable.ts';
import { failureFacts } from '../terminal/error-events.ts';
import { openProgress, silentProgress } from '../terminal/progress.ts';
import { cutOffText } from './cut-off.ts';
import { openRunEnding, type RunEnding } from './run-ending.ts';
import { type RunProgress, showRun } from './run-progress.ts';
import { summaryText } from './run-summary.ts';
import type { GivenJob } from './start-texts.ts';

/**
 * How a run speaks on standard error: in sentences and a progress line, with its log between them, or,
 * where the log is JSON, in events alone. Either way the last event is `run.ended`.
 */
export interface RunVoice extends Disposable {
  readonly log: Log;
  /** Gives the observers that show a run. From here on `run.ended` carries its counts. */
  show(job: string, requests: () => number): Partial<RunProgress>[];
  sayLive(url: string): void;
  /** Names the calls that a second signal cuts off. */
  sayCutOff(calls: readonly CallRequest[], exitCode: number): void;
  sayDone(done: DoneRun, exitCode: number): void;
  /** True where the error is printed; otherwise the program prints it. */
  sayFailed(error: unknown): boolean;
}

interface DoneRun {
  readonly summary: RunSummary;
  readonly report: string | undefined;
  /** Why there is no report. */
  readonly trouble: string;
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
    log,
    show(...facts) {
      ending = openRunEnding(log, ...facts);
      const say = (sentence: string) => write(`${sentence}\n`);
      return [showRun(progress, log, { say, given }), ending];
    },
    sayLive: (url) => write(`Live: ${url}\n`),
    sayCutOff(calls, exitCode) {
      write(cutOffText(calls, process.stderr));
      ending.end(exitCode);
    },
    sayDone({ summary, report, trouble }, exitCode) {
      write(summaryText(summary, given, process.stderr));
      write(report ? `Report: ${printable(relative(process.cwd(), report))}\n` : trouble);
      ending.end(exitCode, { report });
    },
    sayFailed(error) {
      progress[Symbol.dispose]();
      ending.end(exitCodeOf(error));
      return false;
    },
    [Symbol.dispose]: () => progress[Symbol.dispose](),
  };
}

function eventVoice(log: Log, given: GivenJob): RunVoice {
  // That a run stops, and how it ends, is told whatever level the log has.
  const certain = log.child({}, { level: 'info' });
  let ending: RunEnding = openRunEnding(certain);
  return {
    log,
    show(...facts) {
      ending = openRunEnding(certain, ...facts);
      // The stop is logged here alone, so that it is logged once.
      const { onStop } = showRun(silentProgress, certain);
      return [{ ...showRun(silentProgress, log, { given }), onStop }, ending];
    },
    sayLive: (url) => certain.info({ url }, 'view.opened'),
    sayCutOff(calls, exitCode) {
      certain.warn({ unanswered: calls }, 'run.cut_off');
      ending.end(exitCode);
    },
    sayDone({ report, trouble }, exitCode) {
      if (trouble !== '') log.warn({ reason: trouble.trim() }, 'report.missing');
      ending.end(exitCode, { report });
    },
    sayFailed(error) {
      certain.error(failureFacts(error), 'run.failed');
      ending.end(exitCodeOf(error));
      return true;
    },
    [Symbol.dispose]() {},
  };
}
