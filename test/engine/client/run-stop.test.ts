import { expect, test } from 'vitest';
import { openRunStop } from '../../../src/engine/client/run-stop.ts';

test('a run has one reason to stop, the first', () => {
  const runStop = openRunStop();
  expect(runStop.signal.aborted).toBe(false);
  runStop.stop(new Error('first'));
  runStop.stop(new Error('second'));
  expect(runStop.signal.reason).toEqual(new Error('first'));
});

test('who waits hears of the stop and of its own signal, whichever comes first', () => {
  const runStop = openRunStop();
  const controller = new AbortController();
  const waiting = runStop.or(controller.signal);
  expect(runStop.or(controller.signal)).toBe(waiting);
  controller.abort('the signal');
  runStop.stop(new Error('the stop'));
  expect(waiting.reason).toBe('the signal');
  expect(runStop.or(new AbortController().signal).reason).toEqual(new Error('the stop'));
});
