import { expect, test } from 'vitest';
import { openRequestsOnWire } from '../../src/client/make-attempt.ts';
import { openRunStop } from '../../src/client/run-stop.ts';
import { companyCall, peopleCall } from '../support/client-under-test.ts';
import { openFakeClock } from '../support/fake-clock.ts';

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

test('the last request to leave decides how long answers can take', () => {
  const clock = openFakeClock();
  const onWire = openRequestsOnWire(30_000, clock);
  expect(onWire.list()).toEqual({ calls: [], atMostMs: 0 });
  const isFirstOver = onWire.add(companyCall);
  clock.advance(10_000);
  const isSecondOver = onWire.add(peopleCall);
  clock.advance(8_000);
  expect(onWire.list()).toEqual({ calls: [companyCall, peopleCall], atMostMs: 22_000 });
  isFirstOver();
  isFirstOver();
  expect(onWire.list()).toEqual({ calls: [peopleCall], atMostMs: 22_000 });
  isSecondOver();
  expect(onWire.list()).toEqual({ calls: [], atMostMs: 0 });
});
