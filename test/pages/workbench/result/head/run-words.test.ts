import { describe, expect, test } from 'vitest';
import { runWords } from '../../../../../src/pages/workbench/result/head/run-words.ts';
import type { JobState, RunProgress } from '../../../../../src/workbench/api/job-state.ts';

function runIn(
  state: RunProgress['run']['state'],
  changed: Partial<RunProgress> = {},
): RunProgress {
  return {
    run: { id: 'r1', state, held: [], hasPeople: false, took: '5m' },
    people: 0,
    rows: { matched: 1_000, not_found: 100, invalid: 311, failed: 0, open: 2_801, total: 4_212 },
    calls: { made: 1_204, reused: 0, joined: 0, shared: 0, saved: 0, failed: 0, open: 1_900 },
    ...changed,
  };
}

function stateOf(changed: Partial<JobState>): JobState {
  return {
    ...{ isRunning: true, isStarting: false, isStopping: false, inFlight: 6 },
    run: runIn('running'),
    ...{ rowLimit: null, secondsLeft: null, ended: null, canWriteAgain: false },
    ...changed,
  };
}

describe('the head of a run', () => {
  test('a run that starts is not told by the result of the run before', () => {
    const starting = stateOf({ isStarting: true, run: runIn('finished') });
    expect(runWords(starting)).toMatchObject({ title: 'Starting …', facts: [], progress: null });
  });

  test('tells the progress first, then time, match rate of what was asked, and money', () => {
    const paid = { money: 'AUD 144.48', requests: 1_204 };
    const run = runIn('running', { paid });
    expect(runWords(stateOf({ run, secondsLeft: 95 }))).toMatchObject({
      title: 'Asking: 1,204 of 3,104',
      facts: ['2 min left', '90.9% matched so far', 'AUD 144.48'],
    });
  });

  test('says what a stop waits for', () => {
    expect(runWords(stateOf({ isStopping: true })).title).toBe(
      'Waiting for 6 answers, then it stops',
    );
    expect(runWords(stateOf({ isStopping: true, inFlight: 0 })).title).toBe(
      'Writing what there is, then it stops',
    );
  });

  test('ends with the match rate of the whole list', () => {
    const rows = { matched: 3_832, not_found: 69, invalid: 311, failed: 0, open: 0, total: 4_212 };
    const run = runIn('finished', { rows });
    const finished = runWords(stateOf({ isRunning: false, run }));
    expect(finished).toMatchObject({ tone: 'good', title: '91% matched: 3,832 of 4,212' });
    const held = { ...run, run: { ...run.run, held: ['too few'] } };
    expect(runWords(stateOf({ isRunning: false, run: held }))).toMatchObject({
      ...{ tone: 'bad', title: 'Held: 91% matched: 3,832 of 4,212' },
    });
  });

  test('is there before there is a run, and after it was stopped', () => {
    const { title } = runWords(stateOf({ isRunning: false, run: null }));
    expect(title).toBe('Nothing was asked yet');
    expect(runWords(stateOf({ run: null })).title).toBe('Reading the list');
    const stopped = runWords(stateOf({ isRunning: false, run: runIn('interrupted') }));
    expect(stopped).toMatchObject({ tone: 'warning', title: 'Stopped: 1,204 of 3,104 asked' });
  });
});
