import { relative } from 'node:path';
import type { CallRequest } from '../../contract/call.ts';
import type { DossierError } from '../../errors.ts';
import type { SpentSoFar } from '../../run/calls/charges.ts';
import type { RunSummary } from '../../run/run-job.ts';
import { type Log, type LogFormat, openLog } from '../../runtime/log/log.ts';
import { printable } from '../../runtime/printable.ts';
import type { RunEnd } from '../../sinks/manifest.ts';
import { failureFacts, failureText } from '../terminal/errors.ts';
import { openProgress, silentProgress } from '../terminal/progress.ts';
import { cutOffText } from './cut-off.ts';
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
  /** Gives the observer that shows a run. */
  show(budget: SpentSoFar): Partial<RunProgress>;
  /** Tells what people should know before the run begins. */
  sayNote(note: string): void;
  sayLive(url: string): void;
  /** Names the calls that a second signal cuts off. */
  sayCutOff(calls: readonly CallRequest[]): void;
  sayDone(done: DoneRun): void;
  sayFailed(error: unknown): void;
  /** The last event. */
  end(ended: RunEnd, report?: string): void;
}

export interface DoneRun {
  readonly summary: RunSummary;
  readonly ended: RunEnd;
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
  const write = (text: string) => {
    // The progress line is cleared first; the next progress draws it again below.
    progress[Symbol.dispose]();
    process.stderr.write(text);
  };
  return {
    ...{ log, given },
    show(budget) {
      const say = (sentence: string) => write(`${sentence}\n`);
      return showRun(progress, log, { say, given, budget });
    },
    sayNote: (note) => write(`${note}\n`),
    sayLive: (url) => write(`Live: ${url}\n`),
    sayCutOff: (calls) => write(cutOffText(calls, process.stderr)),
    sayDone({ summary, ended, report, trouble, unstored }) {
      write(summaryText(ended, summary, given, process.stderr));
      write(report ? `Report: ${printable(relative(process.cwd(), report))}\n` : trouble);
      const { unreached } = summary.exported;
      if (unreached) write(failureText(unreached, process.stderr));
      if (unstored) write(failureText(unstored, process.stderr));
    },
    sayFailed: (error) => write(failureText(error, process.stderr)),
    end: (ended, report) => log.info(endEvent(ended, report), 'run.ended'),
    [Symbol.dispose]: () => progress[Symbol.dispose](),
  };
}

function eventVoice(log: Log, given: GivenJob): RunVoice {
  // That a run stops, and how it ends, is told whatever level the log has.
  const certain = log.child({}, { level: 'info' });
  return {
    ...{ log, given },
    show() {
      // The stop is logged here alone, so that it is logged once.
      const { onStop } = showRun(silentProgress, certain);
      return { ...showRun(silentProgress, log, { given }), onStop };
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
    end: (ended, report) => certain.info(endEvent(ended, report), 'run.ended'),
    [Symbol.dispose]() {},
  };
}

/** A log needs no list of files, and nothing that is not known. */
function endEvent(
  { files: _, unchanged: _same, notes: _notes, destinations, ...ended }: RunEnd,
  report?: string,
) {
  const places = destinations?.map(({ files: _files, unchanged: _unchanged, ...place }) => place);
  const facts = { ...ended, destinations: places, report };
  return Object.fromEntries(
    Object.entries(facts).filter(([, value]) => value !== null && value !== undefined),
  );
}
