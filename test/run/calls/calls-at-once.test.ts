import { expect, test } from 'vitest';
import { openCallsAtOnce } from '../../../src/run/calls/calls-at-once.ts';

test.each([
  [64, 0, 64],
  [64, 1, 32],
  [64, 3, 8],
  [5, 1, 2],
  [8, 40, 1],
])('of %i calls at once, %i starts that died leave %i', (concurrency, deadStarts, atOnce) => {
  expect(openCallsAtOnce({ concurrency, rate: 'none' }, deadStarts).atOnce).toBe(atOnce);
});

test('no call is leased beyond those on the wire until all may be made at once again', () => {
  const limits = { concurrency: 64, rate: 'none' } as const;
  expect(openCallsAtOnce(limits, 1).maxInFlight).toBe(32);
  expect(openCallsAtOnce(limits).maxInFlight).toBe(256);
});

test('answers bring the calls at once back to what the job says', () => {
  const pace = openCallsAtOnce({ concurrency: 5, rate: 10 }, 2);
  const seen = [pace.atOnce];
  for (let answers = 0; answers < 30; answers += 1) {
    pace.noteStored(1);
    if (seen.at(-1) !== pace.atOnce) seen.push(pace.atOnce);
  }
  expect(seen).toEqual([1, 2, 4, 5]);
});
