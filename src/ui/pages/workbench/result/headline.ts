import { formatDuration } from '../../../../core/values/duration.ts';
import { counted, formatNumber } from '../../../../core/values/format.ts';
import type { JobState, ShownRun } from '../../../workbench/api/answers.ts';
import { percent } from '../../parts/format.ts';

/** `1,204 of 4,212 rows done · 812 found (67.4%) · 5 min left` */
export function headlineOf(state: JobState) {
  const { run, isRunning, isStarting, isStopping, inFlight } = state;
  const simply = (title: string) => ({
    isBad: false,
    title,
    /** For screen readers, because the title changes too often. */
    phase: title,
    /** Most important first. */
    facts: [] as string[],
    /** Share of the calls that were made; null hides the bar. */
    progress: null as number | null,
  });
  // `run` is still the previous run.
  if (isStarting) return simply(isStopping ? 'Stopping …' : 'Starting …');
  if (!run) {
    if (isRunning) return simply('Reading the list');
    const facts = ['Run the list to fill the table'];
    return { ...simply('Nothing has been looked up yet'), facts };
  }
  const done = rowsDone(run);
  const facts = factsOf(run);
  const made = run.calls.made + run.calls.failed;
  const progress = made / Math.max(1, made + run.calls.open);
  if (isStopping) {
    const [title, ...more] =
      inFlight > 0
        ? [
            `Waiting for ${counted(inFlight, 'answer')}, then the run stops`,
            'These calls may already have been charged',
          ]
        : ['Writing the partial result, then the run stops'];
    return { ...simply(title), phase: 'Stopping', facts: [...more, done, ...facts], progress };
  }
  switch (run.phase) {
    case 'reading':
      return {
        ...simply(`Reading: ${counted(run.rows.total, 'row')} so far`),
        phase: 'Reading the list',
      };
    case 'calling': {
      const title = [done, ...timeLeft(state)].join(' · ');
      const { open, reused } = run.calls;
      const calls = `${counted(made, 'call')} made, ${formatNumber(open)} waiting`;
      const known = reused > 0 && `${formatNumber(reused)} already answered`;
      return {
        ...simply(title),
        phase: 'Looking up',
        facts: all([calls, known, ...facts]),
        progress,
      };
    }
    case 'writing':
      return { ...simply('Writing the files'), facts: [done, ...facts], progress: 1 };
    case null: {
      const isBad = run.complete && run.held !== null;
      const title = run.complete && !isBad ? done : `${isBad ? 'Held' : 'Stopped'}: ${done}`;
      return { ...simply(title), isBad, facts };
    }
  }
}

/** The match rate counts all done rows, invalid ones too. */
function rowsDone({ rows: { total, open, matched } }: ShownRun) {
  const done = total - open;
  const rate = done === 0 ? '' : ` (${percent(matched, done)})`;
  const part = open === 0 ? '' : `${formatNumber(done)} of `;
  return `${part}${counted(total, 'row')} done · ${formatNumber(matched)} found${rate}`;
}

function factsOf({ rows, paid, paidByAll, people, hasPeople, complete, seconds }: ShownRun) {
  const some = (rowCount: number, word: string) =>
    rowCount > 0 && `${formatNumber(rowCount)} ${word}`;
  return all([
    some(rows.not_found, 'not found'),
    some(rows.invalid, 'invalid'),
    some(rows.failed, 'failed'),
    some(rows.suppressed, 'suppressed'),
    hasPeople && counted(people, 'person', 'people'),
    ...(paidByAll !== '' && paidByAll !== paid
      ? [`this run ${paid || 'no calls'}`, `list ${paidByAll}`]
      : [paid !== '' && paid]),
    // Pauses are part of it.
    complete && `${formatDuration((seconds ?? 0) * 1_000)} from start to end`,
  ]);
}

const all = (facts: readonly (string | false)[]) => facts.filter((fact) => fact !== false);

function timeLeft({ secondsLeft }: JobState): readonly string[] {
  if (secondsLeft === null) return [];
  // Whole minutes, because changing seconds would flicker.
  const seconds = secondsLeft < 60 ? secondsLeft : Math.ceil(secondsLeft / 60) * 60;
  return [`${formatDuration(seconds * 1_000)} left`];
}
