import { describe, expect, test } from 'vitest';
import type { ClientEvent } from '../../../../src/engine/client/client-event.ts';
import { openThrottle } from '../../../../src/engine/client/rate/throttle.ts';
import { openRunStop } from '../../../../src/engine/client/run-stop.ts';
import { openFakeClock } from '../../../support/fake-clock.ts';

function openTestThrottle(maxWaitMs = 600_000) {
  const clock = openFakeClock();
  const runStop = openRunStop();
  const events: ClientEvent[] = [];
  const onEvent = (event: ClientEvent) => events.push(event);
  const throttle = openThrottle(maxWaitMs, clock, onEvent, runStop);
  /** Leaves, is throttled and waits, and says how long that was. */
  const throttleOnce = (retryAfterMs?: number) => {
    const waitMs = throttle.noteThrottled(throttle.noteLeaving(), retryAfterMs);
    clock.advance(waitMs);
    return waitMs;
  };
  return { throttle, clock, events, runStop, throttleOnce };
}

test('fifty calls throttled together are one wait', async () => {
  const { throttle, clock, events, throttleOnce } = openTestThrottle();
  const leftAfter = Array.from({ length: 50 }, () => throttle.noteLeaving());
  for (const waits of leftAfter) {
    throttle.noteThrottled(waits, undefined);
    clock.advance(10);
  }
  expect(events).toHaveLength(1);
  clock.advance(1_000);
  expect(throttleOnce()).toBe(2_000);
});

describe('the run stops', () => {
  test('when it has throttled everything for longer than the job allows', () => {
    const { runStop, throttleOnce } = openTestThrottle(60_000);
    throttleOnce(60_000);
    expect(runStop.signal.aborted).toBe(false);
    throttleOnce(1_000);
    expect(runStop.signal.reason).toMatchObject({
      code: 'THROTTLED_TOO_LONG',
      message: expect.stringContaining('has throttled every call for 1m'),
    });
  });
});

describe('a quota that is spent', () => {
  test('is told once', () => {
    const { throttle, clock, events } = openTestThrottle();
    throttle.noteClosed(30_000);
    clock.advance(1_000);
    throttle.noteClosed(29_000);
    throttle.noteLeaving();
    expect(events.map(({ type }) => type)).toEqual(['service.throttled', 'gate.opened']);
  });

  test('for longer than the job waits stops the run', () => {
    const { throttle, runStop } = openTestThrottle(20_000);
    throttle.noteClosed(30_000);
    expect(runStop.signal.reason).toMatchObject({ code: 'THROTTLED_TOO_LONG' });
  });
});
