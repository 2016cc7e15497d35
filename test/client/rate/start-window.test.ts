import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openStartWindow } from '../../../src/client/rate/start-window.ts';
import { openFakeClock } from '../../support/fake-clock.ts';

test('a place is free again a whole window after its start', () => {
  const clock = openFakeClock();
  const window = openStartWindow({ capacity: 1, windowMs: 1_000 }, clock);
  window.reserve();
  expect(window.msUntilRoom()).toBe(Number.POSITIVE_INFINITY);
  clock.advance(5_000);
  expect(window.msUntilRoom()).toBe(Number.POSITIVE_INFINITY);
  window.start(0);
  expect(window.msUntilRoom()).toBe(1_000);
  clock.advance(999);
  expect(window.msUntilRoom()).toBe(1);
  clock.advance(1);
  expect(window.msUntilRoom()).toBe(0);
});

test('a place that is not needed is free at once', () => {
  const window = openStartWindow({ capacity: 1, windowMs: 1_000 }, openFakeClock());
  window.reserve();
  window.release();
  expect(window.msUntilRoom()).toBe(0);
});

test('slack holds a place longer', () => {
  const window = openStartWindow({ capacity: 1, windowMs: 1_000 }, openFakeClock());
  window.reserve();
  window.start(25);
  expect(window.msUntilRoom()).toBe(1_025);
});

test('no window ever sees more starts than it has places', () => {
  const step = fc.record({
    pauseMs: fc.integer({ min: 0, max: 400 }),
    what: fc.constantFrom('ask', 'ask', 'start', 'release'),
    slackMs: fc.constantFrom(0, 0, 25),
  });
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5 }),
      fc.array(step, { maxLength: 200 }),
      (places, steps) => {
        const clock = openFakeClock();
        const window = openStartWindow({ capacity: places, windowMs: 1_000 }, clock);
        const starts: number[] = [];
        let reserved = 0;
        for (const { pauseMs, what, slackMs } of steps) {
          clock.advance(pauseMs);
          if (what === 'ask' && window.msUntilRoom() === 0) {
            window.reserve();
            reserved += 1;
          } else if (what === 'start' && reserved > 0) {
            window.start(slackMs);
            starts.push(clock.monotonicMs());
            reserved -= 1;
          } else if (what === 'release' && reserved > 0) {
            window.release();
            reserved -= 1;
          }
        }
        for (const [index, at] of starts.entries()) {
          expect((starts[index + places] ?? Number.POSITIVE_INFINITY) - at).toBeGreaterThanOrEqual(
            1_000,
          );
        }
      },
    ),
  );
});

test('a request that leaves late holds its place from then on', () => {
  const clock = openFakeClock();
  const window = openStartWindow({ capacity: 1, windowMs: 1_000 }, clock);
  window.reserve();
  const hasLeft = window.start(0);
  clock.advance(900);
  hasLeft();
  clock.advance(100);
  expect(window.msUntilRoom()).toBe(900);
});
