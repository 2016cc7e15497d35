import { expect, test } from 'vitest';
import { openCallMeter } from '../../../src/run/calls/call-meter.ts';
import { openFakeClock } from '../../support/fake-clock.ts';

const start = 1_000_000;

function meterAt() {
  const clock = openFakeClock(start);
  return { clock, meter: openCallMeter(clock) };
}

test('attempts are counted by the moment in which they ended, and by what they brought', () => {
  const { clock, meter } = meterAt();
  for (const verdict of ['hit', 'miss', 'invalid', 'transient', 'throttled']) {
    meter.note({ type: 'attempt.made', verdict, durationMs: 12 });
  }
  meter.note({ type: 'retry.scheduled' });
  clock.advance(2_500);
  meter.note({ type: 'attempt.made', verdict: 'hit', durationMs: 0.5 });
  const [first, second, ...rest] = meter.take();
  expect(first).toMatchObject({
    ...{ startsAt: start, attempts: 5, answered: 3, failed: 1, throttled: 1, retried: 1 },
    latencies: [0, 0, 0, 0, 0, 0, 0, 5],
  });
  expect(second).toMatchObject({ startsAt: start + 2_500, attempts: 1, latencies: [1] });
  expect(rest).toEqual([]);
  expect(meter.take()).toEqual([]);
});

test('a throttling is spread over the slices that it lasts, and counted once', () => {
  const { clock, meter } = meterAt();
  clock.advance(70);
  meter.note({ type: 'service.throttled', untilMs: start + 270 });
  clock.advance(50);
  expect(meter.take().map(({ throttledMs }) => throttledMs)).toEqual([30, 20]);
  clock.advance(50);
  // Told again while it lasts: the wait is longer now, not twice as long.
  meter.note({ type: 'service.throttled', untilMs: start + 320 });
  clock.advance(200);
  meter.note({ type: 'gate.opened' });
  expect(meter.take().map(({ throttledMs }) => throttledMs)).toEqual([80, 100, 20]);
  clock.advance(500);
  expect(meter.take()).toEqual([]);
});
