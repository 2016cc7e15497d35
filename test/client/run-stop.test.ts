import { expect, test } from 'vitest';
import { openRunStop } from '../../src/client/run-stop.ts';

test('a run has one reason to stop, the first', () => {
  const runStop = openRunStop();
  expect(runStop.signal.aborted).toBe(false);
  runStop.stop(new Error('first'));
  runStop.stop(new Error('second'));
  expect(runStop.signal.reason).toEqual(new Error('first'));
});
