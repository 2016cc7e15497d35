import { expect, test } from 'vitest';
import { headlineOf } from '../../../../../src/ui/pages/workbench/result/headline.ts';
import type { JobState, ShownRun } from '../../../../../src/ui/workbench/api/answers.ts';
import { sampleFacts } from '../../../../support/sample-run.ts';

const { rows } = sampleFacts;
const unfinished = { matched: 1_000, not_found: 100, invalid: 311, open: 2_801, total: 4_212 };
const run: ShownRun = {
  ...sampleFacts,
  complete: false,
  phase: 'calling',
  hasPeople: false,
  paid: 'AUD 144.48',
  paidByAll: 'AUD 144.48',
  foundNothing: false,
  rows: { ...rows, ...unfinished },
};
const complete: ShownRun = {
  ...run,
  complete: true,
  phase: null,
  rows: { ...rows, matched: 3_832, not_found: 69, invalid: 311, total: 4_212 },
};

function headline(changed: Partial<JobState>) {
  return headlineOf({
    isRunning: true,
    isStarting: false,
    isStopping: false,
    inFlight: 6,
    run,
    secondsLeft: null,
    ended: null,
    ...changed,
  });
}

test.each<[string, Partial<JobState>]>([
  // It is not told by the result of the run before.
  ['Starting …', { isStarting: true, run: complete }],
  ['Reading the list', { run: null }],
  ['1,411 of 4,212 rows done · 1,000 found (70.9%) · 2m left', { secondsLeft: 95 }],
  ['Waiting for 6 answers, then the run stops', { isStopping: true }],
  ['Writing the partial result, then the run stops', { isStopping: true, inFlight: 0 }],
  [
    'Stopped: 1,411 of 4,212 rows done · 1,000 found (70.9%)',
    { isRunning: false, run: { ...run, phase: null } },
  ],
  ['4,212 rows done · 3,832 found (91%)', { isRunning: false, run: complete }],
  [
    'Held: 4,212 rows done · 3,832 found (91%)',
    { isRunning: false, run: { ...complete, held: [] } },
  ],
  ['Nothing has been looked up yet', { isRunning: false, run: null }],
])('the head of a run says: %s', (title, changed) => {
  expect(headline(changed).title).toBe(title);
});

test('the head of a run counts what was found, what was not and what it cost', () => {
  const calls = { ...run.calls, made: 45, open: 15, reused: 255 };
  const facts = ['45 calls made, 15 waiting', '255 already answered', '100 not found'];
  expect(headline({ run: { ...run, calls } })).toMatchObject({
    facts: [...facts, '311 invalid', 'AUD 144.48'],
    progress: 0.75,
  });
  // After Fix, the last run cost less than the list.
  const fixed = { ...complete, paid: 'AUD 0.24', paidByAll: 'AUD 144.72' };
  expect(headline({ isRunning: false, run: fixed }).facts.slice(-3)).toEqual([
    'this run AUD 0.24',
    'list AUD 144.72',
    '1m 12s from start to end',
  ]);
  expect(headline({ isRunning: false, run: { ...complete, held: [] } }).isBad).toBe(true);
  expect(headline({ isRunning: false, run: complete }).isBad).toBe(false);
  expect(headline({ isStarting: true })).toMatchObject({ facts: [], progress: null });
});
