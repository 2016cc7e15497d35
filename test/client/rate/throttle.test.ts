import { describe, expect, test } from 'vitest';
import type { ClientEvent } from '../../../src/client/client-event.ts';
import { openThrottle } from '../../../src/client/rate/throttle.ts';
import { openRunStop } from '../../../src/client/run-stop.ts';
import { openFakeClock } from '../../support/fake-clock.ts';

function openTestThrottle(maxWaitMs = 600_000) {
  const clock = openFakeClock();
  const runStop = openRunStop();
  const events: ClientEvent[] = [];
  const onEvent = (event: ClientEvent) => events.push(event);
  const throttle = openThrottle(maxWaitMs, clock, onEvent, runStop);
  const { signal } = new AbortController();
  /** Leaves, is throttled and waits, and says how long that was. */
  const throttleOnce = async (retryAfterMs?: number) => {
    throttle.noteThrottled(throttle.waitsSoFar() ?? -1, retryAfterMs);
    const throttledAt = clock.monotonicMs();
    await throttle.waitUntilOver(signal);
    return clock.monotonicMs() - throttledAt;
  };
  return { throttle, clock, events, runStop, signal, throttleOnce };
}

test('no call leaves for as long as the service asks', async () => {
  const { throttle, throttleOnce, events } = openTestThrottle();
  expect(throttle.waitsSoFar()).toBeDefined();
  expect(await throttleOnce(2_000)).toBe(2_000);
  expect(throttle.waitsSoFar()).toBeDefined();
  expect(events).toEqual([
    { type: 'service.throttled', waitMs: 2_000, untilMs: Date.parse('2026-08-22T00:00:02Z') },
    { type: 'gate.opened' },
  ]);
});

test('during a wait no call leaves', () => {
  const { throttle, clock } = openTestThrottle();
  throttle.noteThrottled(throttle.waitsSoFar() ?? -1, 2_000);
  clock.advance(1_999);
  expect(throttle.waitsSoFar()).toBeUndefined();
  clock.advance(1);
  expect(throttle.waitsSoFar()).toBeDefined();
});

test('without a wait from the service it waits longer each time, up to a minute', async () => {
  const { throttleOnce } = openTestThrottle();
  const waits: number[] = [];
  for (let times = 0; times < 8; times += 1) waits.push(await throttleOnce());
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
});

test('an answer brings the own wait back to its beginning', async () => {
  const { throttle, throttleOnce } = openTestThrottle();
  await throttleOnce();
  await throttleOnce();
  throttle.noteAnswer();
  expect(await throttleOnce()).toBe(1_000);
});

test('fifty calls throttled together with a wait are told once and do not add up', () => {
  const { throttle, clock, events, runStop } = openTestThrottle(60_000);
  const leftAfter = Array.from({ length: 50 }, () => throttle.waitsSoFar() ?? -1);
  for (const waits of leftAfter) {
    throttle.noteThrottled(waits, 60_000);
    clock.advance(10);
  }
  expect(events).toHaveLength(1);
  expect(runStop.signal.aborted).toBe(false);
});

test('fifty calls throttled together are one wait', async () => {
  const { throttle, clock, events, throttleOnce } = openTestThrottle();
  const leftAfter = Array.from({ length: 50 }, () => throttle.waitsSoFar() ?? -1);
  for (const waits of leftAfter) {
    throttle.noteThrottled(waits, undefined);
    clock.advance(10);
  }
  expect(events).toHaveLength(1);
  clock.advance(1_000);
  expect(await throttleOnce()).toBe(2_000);
});

test('the latest of the waits that the service asks for holds', () => {
  const { throttle, clock, events } = openTestThrottle();
  const leftAfter = [
    throttle.waitsSoFar(),
    throttle.waitsSoFar(),
    throttle.waitsSoFar(),
  ] as number[];
  for (const [index, waitMs] of [2_000, 9_000, 1_000].entries()) {
    throttle.noteThrottled(leftAfter[index] ?? -1, waitMs);
  }
  expect(events).toMatchObject([{ waitMs: 2_000 }, { waitMs: 9_000 }]);
  clock.advance(8_999);
  expect(throttle.waitsSoFar()).toBeUndefined();
  clock.advance(1);
  expect(throttle.waitsSoFar()).toBeDefined();
});

test('giving up during a wait is immediate', async () => {
  const { throttle } = openTestThrottle();
  throttle.noteThrottled(throttle.waitsSoFar() ?? -1, 60_000);
  await expect(throttle.waitUntilOver(AbortSignal.abort(new Error('enough')))).rejects.toThrow(
    'enough',
  );
});

describe('the run stops', () => {
  test('when the service asks for more than the job allows', () => {
    const { throttle, runStop } = openTestThrottle(60_000);
    throttle.noteThrottled(throttle.waitsSoFar() ?? -1, 61_000);
    expect(runStop.signal.reason).toMatchObject({
      code: 'THROTTLED_TOO_LONG',
      message: 'the service asks to wait 1m 1s; the job waits 1m at most',
    });
  });

  test('when it has throttled everything for longer than the job allows', async () => {
    const { runStop, throttleOnce } = openTestThrottle(60_000);
    await throttleOnce(60_000);
    expect(runStop.signal.aborted).toBe(false);
    await throttleOnce(1_000);
    expect(runStop.signal.reason).toMatchObject({
      code: 'THROTTLED_TOO_LONG',
      message: expect.stringContaining('has throttled every call for 1m'),
    });
  });

  test('but not when it answers in between', async () => {
    const { throttle, runStop, throttleOnce } = openTestThrottle(60_000);
    for (let times = 0; times < 5; times += 1) {
      await throttleOnce(50_000);
      throttle.noteAnswer();
    }
    expect(runStop.signal.aborted).toBe(false);
  });
});

describe('a quota that is spent', () => {
  test('keeps calls back until it is whole again, and is told once', async () => {
    const { throttle, clock, events, signal } = openTestThrottle();
    throttle.noteClosed(30_000);
    clock.advance(1_000);
    throttle.noteClosed(29_000);
    expect(throttle.waitsSoFar()).toBeUndefined();
    await throttle.waitUntilOver(signal);
    expect(clock.monotonicMs()).toBe(30_000);
    expect(events.map(({ type }) => type)).toEqual(['service.throttled', 'gate.opened']);
  });

  test('for longer than the job waits stops the run', () => {
    const { throttle, runStop } = openTestThrottle(20_000);
    throttle.noteClosed(30_000);
    expect(runStop.signal.reason).toMatchObject({ code: 'THROTTLED_TOO_LONG' });
  });
});
