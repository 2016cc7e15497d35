import { closeSync, openSync, read } from 'node:fs';
import { afterEach, expect, test, vi } from 'vitest';
import { openDeadline } from '../../src/client/deadline.ts';

afterEach(() => void vi.useRealTimers());

test('time runs out', () => {
  vi.useFakeTimers();
  using deadline = openDeadline([], 1_000);
  vi.advanceTimersByTime(999);
  expect(deadline.signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  vi.advanceTimersToNextTimer();
  expect(deadline.signal.aborted).toBe(true);
  expect(deadline.isOver()).toBe(true);
});

test('it follows every signal it was given, with that signal’s reason', () => {
  const controllers = [new AbortController(), new AbortController()];
  using deadline = openDeadline(controllers.map(({ signal }) => signal));
  controllers[1]?.abort('the second');
  controllers[0]?.abort('the first');
  expect(deadline.signal.reason).toBe('the second');
  expect(deadline.isOver()).toBe(false);
});

test('it is born aborted when one of them is', () => {
  using deadline = openDeadline([AbortSignal.abort('before')]);
  expect(deadline.signal.reason).toBe('before');
});

test('time that runs out after an abort changes nothing', () => {
  vi.useFakeTimers();
  using deadline = openDeadline([AbortSignal.abort('before')], 1_000);
  vi.advanceTimersByTime(2_000);
  expect(deadline.isOver()).toBe(false);
});

test('once left, it neither ticks nor follows', () => {
  vi.useFakeTimers();
  const controller = new AbortController();
  const deadline = openDeadline([controller.signal], 1_000);
  deadline[Symbol.dispose]();
  controller.abort();
  expect(vi.getTimerCount()).toBe(0);
  expect(deadline.signal.aborted).toBe(false);
});

test('what came while the process was busy is read before time is called', async () => {
  const order: string[] = [];
  using deadline = openDeadline([], 5);
  const called = new Promise((resolve) => deadline.signal.addEventListener('abort', resolve));
  deadline.signal.addEventListener('abort', () => order.push('time is called'));
  const file = openSync(import.meta.filename, 'r');
  read(file, Buffer.alloc(1), 0, 1, 0, () => order.push('something came'));
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  await called;
  closeSync(file);
  expect(order).toEqual(['something came', 'time is called']);
});
