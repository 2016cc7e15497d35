import { expect, test } from 'vitest';
import { openCallMeter } from '../../src/run/call-meter.ts';
import { openFakeClock } from '../support/fake-clock.ts';

const start = 1_000_000;

function meterAt() {
  const clock = openFakeClock(start);
  return { clock, meter: openCallMeter(clock) };
}

test('attempts are counted by the second in which they ended, and by what they brought', () => {
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
  expect(second).toMatchObject({ startsAt: start + 2_000, attempts: 1, latencies: [1] });
  expect(rest).toEqual([]);
  expect(meter.take()).toEqual([]);
});

test('a throttling is spread over the seconds that it lasts, and counted once', () => {
  const { clock, meter } = meterAt();
  clock.advance(700);
  meter.note({ type: 'service.throttled', untilMs: start + 2_700 });
  clock.advance(500);
  expect(meter.take().map(({ throttledMs }) => throttledMs)).toEqual([300, 200]);
  clock.advance(500);
  // Told again while it lasts: the wait is longer now, not twice as long.
  meter.note({ type: 'service.throttled', untilMs: start + 3_200 });
  clock.advance(2_000);
  meter.note({ type: 'gate.opened' });
  expect(meter.take().map(({ throttledMs }) => throttledMs)).toEqual([800, 1_000, 200]);
  clock.advance(5_000);
  expect(meter.take()).toEqual([]);
});
