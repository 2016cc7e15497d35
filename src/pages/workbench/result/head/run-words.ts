import type { JobState, RunProgress } from '../../../../workbench/api/job-state.ts';
import { count, counted, duration, percent } from '../../../parts/text/format.ts';

/** What the head of the view says of a run. */
export interface RunWords {
  readonly tone: 'calm' | 'busy' | 'good' | 'warning' | 'bad';
  readonly title: string;
  /** For screen readers, once when it changes: a title with counts changes twice a second. */
  readonly phase: string;
  /** Facts in a line below, the most important first. */
  readonly facts: readonly string[];
  /** From 0 to 1, while there is something to wait for. */
  readonly progress: number | null;
}

/** `Asking: 1,204 of 3,104` and its like: the state of a job in words, from its progress to its match rate. */
export function runWords(state: JobState): RunWords {
  const { run, isRunning, isStarting, isStopping, inFlight } = state;
  // What the run before came to is not what is being waited for.
  if (isStarting) return { ...busy, ...same(isStopping ? 'Stopping …' : 'Starting …') };
  if (!run) return isRunning ? { ...busy, ...same('Reading the list') } : notRun;
  if (isStopping) {
    const title =
      inFlight > 0
        ? `Waiting for ${counted(inFlight, 'answer', 'answers')}, then it stops`
        : 'Writing what there is, then it stops';
    const facts = inFlight > 0 ? ['What is waited for may have been charged already'] : [];
    return {
      ...{ ...busy, title, phase: 'Stopping' },
      facts: [...facts, ...soFar(state)],
      progress: doneOf(run),
    };
  }
  switch (run.run.state) {
    case 'reading':
      return {
        ...{ ...busy, phase: 'Reading the list' },
        title: `Reading: ${counted(run.rows.total, 'row', 'rows')} so far`,
      };
    case 'running':
      return {
        ...{ ...busy, title: `Asking: ${callsOf(run)}`, phase: 'Asking' },
        facts: [...timeLeft(state), ...soFar(state)],
        progress: doneOf(run),
      };
    case 'writing':
      return { ...busy, ...same('Writing the files'), facts: soFar(state), progress: 1 };
    case 'interrupted':
      return {
        ...{ tone: 'warning', ...same(`Stopped: ${callsOf(run)} asked`), progress: null },
        facts: soFar(state),
      };
    case 'finished':
      return finished(run);
  }
}

function same(title: string): Pick<RunWords, 'title' | 'phase'> {
  return { title, phase: title };
}

const busy = { tone: 'busy', facts: [], progress: null } as const;

const notRun: RunWords = {
  ...{ tone: 'calm', ...same('Nothing was asked yet'), progress: null },
  facts: ['The table fills when this list is run'],
};

function finished({ run, rows, paid, people }: RunProgress): RunWords {
  const title = `${percent(rows.matched, rows.total)} matched: ${count(rows.matched)} of ${count(rows.total)}`;
  const facts = [
    ...(rows.failed > 0 ? [`${counted(rows.failed, 'row', 'rows')} failed`] : []),
    ...(rows.invalid > 0 ? [`${counted(rows.invalid, 'row', 'rows')} invalid`] : []),
    ...(run.hasPeople ? [counted(people, 'person', 'people')] : []),
    ...(paid ? [paid.money] : []),
    `took ${run.took}`,
  ];
  if (run.held.length > 0) {
    return { tone: 'bad', ...same(`Held: ${title}`), facts, progress: null };
  }
  return { tone: rows.failed > 0 ? 'warning' : 'good', ...same(title), facts, progress: null };
}

/** `1,204 of 3,104` calls. */
function callsOf(run: RunProgress): string {
  const { done, all } = callCounts(run);
  return `${count(done)} of ${count(all)}`;
}

function doneOf(run: RunProgress): number {
  const { done, all } = callCounts(run);
  return all === 0 ? 1 : done / all;
}

function callCounts({ calls }: RunProgress): { done: number; all: number } {
  const done = calls.made + calls.reused + calls.joined + calls.failed;
  return { done, all: done + calls.open };
}

/** The match rate of the rows that were asked for, since a share of all rows would read as a bad one. */
function soFar({ run }: JobState): readonly string[] {
  if (!run) return [];
  const { rows, paid } = run;
  const asked = rows.total - rows.open - rows.invalid;
  return [
    ...(asked > 0 ? [`${percent(rows.matched, asked)} matched so far`] : []),
    ...(rows.failed > 0 ? [`${counted(rows.failed, 'row', 'rows')} failed`] : []),
    ...(paid ? [paid.money] : []),
  ];
}

function timeLeft({ secondsLeft }: JobState): readonly string[] {
  if (secondsLeft === null) return [];
  // Seconds of an estimate of minutes would only flicker.
  const seconds = secondsLeft < 60 ? secondsLeft : Math.ceil(secondsLeft / 60) * 60;
  return [`${duration(Math.max(1, seconds) * 1_000)} left`];
}
