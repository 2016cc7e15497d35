import { expect, test } from 'vitest';
import type { ClientEvent } from '../../../../src/engine/client/client-event.ts';
import { createThrottle } from '../../../../src/engine/client/rate/throttle.ts';
import { createRunStop } from '../../../../src/engine/client/run-stop.ts';
import { createFakeClock } from '../../../support/fake-clock.ts';

test('fifty calls throttled together are one wait', () => {
  const clock = createFakeClock();
  const events: ClientEvent[] = [];
  const onEvent = (event: ClientEvent) => events.push(event);
  const throttle = createThrottle(600_000, clock, onEvent, createRunStop());
  const leftAfter = Array.from({ length: 50 }, () => throttle.noteLeaving());
  for (const waits of leftAfter) {
    throttle.nextWaitMs(waits, undefined);
    clock.advance(10);
  }
  expect(events).toHaveLength(1);
  clock.advance(1_000);
  expect(throttle.nextWaitMs(throttle.noteLeaving(), undefined)).toBe(2_000);
});
