import { describe, expect, test } from 'vitest';
import { headlineOf } from '../../../../../src/ui/pages/workbench/result/headline.ts';
import type { JobState, ShownRun } from '../../../../../src/ui/workbench/api.ts';
import { sampleFacts } from '../../../../support/sample-run.ts';

function runIn(phase: ShownRun['phase'], changed: Partial<ShownRun> = {}): ShownRun {
  return {
    ...{ ...sampleFacts, complete: false, phase, hasPeople: false, paid: '' },
    rows: {
      ...sampleFacts.rows,
      matched: 1_000,
      not_found: 100,
      invalid: 311,
      open: 2_801,
      total: 4_212,
    },
    calls: { ...sampleFacts.calls, made: 1_204, reused: 0, open: 1_900 },
    ...changed,
  };
}

function stateOf(changed: Partial<JobState>): JobState {
  return {
    ...{ isRunning: true, isStarting: false, isStopping: false, inFlight: 6 },
    ...{ run: runIn('calling'), secondsLeft: null, ended: null },
    ...changed,
  };
}

describe('the head of a run', () => {
  test('a run that starts is not told by the result of the run before', () => {
    const starting = stateOf({ isStarting: true, run: runIn(null, { complete: true }) });
    expect(headlineOf(starting)).toMatchObject({ title: 'Starting …', facts: [], progress: null });
  });

  test('counts rows that are done, invalid ones too, and the time that is left', () => {
    const run = runIn('calling', { paid: 'AUD 144.48' });
    expect(headlineOf(stateOf({ run, secondsLeft: 95 }))).toMatchObject({
      title: '1,411 of 4,212 rows done · 1,000 found (70.9%) · 2 min left',
      facts: ['100 not found', '311 invalid', 'AUD 144.48'],
    });
  });

  test('says what a stop waits for', () => {
    expect(headlineOf(stateOf({ isStopping: true })).title).toBe(
      'Waiting for 6 answers, then it stops',
    );
    expect(headlineOf(stateOf({ isStopping: true, inFlight: 0 })).title).toBe(
      'Writing what there is, then it stops',
    );
  });

  test('ends with the whole list, in the same words', () => {
    const rows = { ...sampleFacts.rows, matched: 3_832, not_found: 69, invalid: 311, total: 4_212 };
    const run = runIn(null, { complete: true, rows });
    const finished = headlineOf(stateOf({ isRunning: false, run }));
    expect(finished).toMatchObject({ isBad: false, title: '4,212 rows done · 3,832 found (91%)' });
    const held = { ...run, held: [] };
    expect(headlineOf(stateOf({ isRunning: false, run: held }))).toMatchObject({
      ...{ isBad: true, title: 'Held: 4,212 rows done · 3,832 found (91%)' },
    });
  });

  test('is there before there is a run, and after it was stopped', () => {
    const { title } = headlineOf(stateOf({ isRunning: false, run: null }));
    expect(title).toBe('Nothing was looked up yet');
    expect(headlineOf(stateOf({ run: null })).title).toBe('Reading the list');
    const stopped = headlineOf(stateOf({ isRunning: false, run: runIn(null) }));
    expect(stopped.title).toBe('Stopped: 1,411 of 4,212 rows done · 1,000 found (70.9%)');
  });
});
