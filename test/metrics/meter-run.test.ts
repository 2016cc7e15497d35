import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RecordMetric } from '../../src/metrics/metric-table.ts';
import { meterRun } from '../../src/metrics/open-metrics.ts';
import { noChanges } from '../../src/records/changes.ts';
import type { RunExport } from '../../src/run/write-outputs.ts';
import { openFakeClock } from '../support/fake-clock.ts';

/** The sum of all recorded values of a metric with these labels. */
function openTally(): { record: RecordMetric; sum(metric: string, labels?: object): number } {
  const recorded: { metric: string; value: number; labels: object }[] = [];
  return {
    record: (metric, value, labels = {} as never) => recorded.push({ metric, value, labels }),
    sum: (metric, labels = {}) =>
      recorded
        .filter((item) => item.metric === metric)
        .filter((item) => JSON.stringify(item.labels) === JSON.stringify(labels))
        .reduce((sum, { value }) => sum + value, 0),
  };
}

function openMeter() {
  const clock = openFakeClock();
  const tally = openTally();
  const meter = meterRun(tally.record, clock);
  const throttle = (waitMs: number) =>
    meter.onEvent({ type: 'service.throttled', waitMs, untilMs: clock.wallMs() + waitMs });
  return { clock, tally, meter, throttle };
}

test('a pause that is made longer is one time, not two', () => {
  const { clock, tally, meter, throttle } = openMeter();
  throttle(10_000);
  clock.advance(4_000);
  meter.update();
  expect(tally.sum('dossier.throttled')).toBe(4);
  throttle(10_000);
  clock.advance(10_000);
  meter.onEvent({ type: 'gate.opened' });
  clock.advance(60_000);
  meter.update();
  expect(tally.sum('dossier.throttled')).toBe(14);
  expect(tally.sum('dossier.throttles')).toBe(2);
});

test('the time between two pauses is none of theirs', () => {
  const { clock, tally, meter, throttle } = openMeter();
  throttle(5_000);
  clock.advance(60_000);
  throttle(2_000);
  clock.advance(60_000);
  meter.update();
  expect(tally.sum('dossier.throttled')).toBe(7);
});

test('a throttle without an event for its end stops at its time', () => {
  const { clock, tally, meter, throttle } = openMeter();
  throttle(5_000);
  clock.advance(60_000);
  meter.update();
  meter.end(75);
  expect(tally.sum('dossier.throttled')).toBe(5);
});

test.each([
  [200, 'hit', '2xx', 'hit'],
  [404, 'miss', '4xx', 'miss'],
  [503, 'transient', '5xx', 'transient'],
  [undefined, 'transient', 'none', 'transient'],
  [999, 'unusable', 'other', 'unusable'],
  [200, 'something new', '2xx', 'other'],
])('an answer of %s that is a %s counts as %s, %s', (given, judged, status, verdict) => {
  const { tally, meter } = openMeter();
  meter.onEvent({
    type: 'attempt.made',
    operation: 'company',
    ...(given !== undefined && { status: given }),
    verdict: judged,
    durationMs: 250,
  });
  expect(tally.sum('dossier.attempts', { operation: 'company', status, verdict })).toBe(1);
  expect(tally.sum('dossier.attempt.duration', { operation: 'company' })).toBe(0.25);
});

test.each([
  [0, 1],
  [3, 0],
  [143, 0],
])('an end with %i is a success %i times', (exitCode, times) => {
  const { clock, tally, meter } = openMeter();
  meter.end(exitCode);
  expect(tally.sum('dossier.run.exit_code')).toBe(exitCode);
  expect(tally.sum('dossier.run.last_success.timestamp')).toBe((times * clock.wallMs()) / 1_000);
});

test('whatever the service does, pauses are never longer than the run', () => {
  const step = fc.tuple(fc.constantFrom('throttle', 'open', 'update', 'wait'), fc.nat(20_000));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const { clock, tally, meter, throttle } = openMeter();
      let before = 0;
      for (const [what, ms] of steps) {
        if (what === 'throttle') throttle(ms);
        if (what === 'open') meter.onEvent({ type: 'gate.opened' });
        if (what === 'update') meter.update();
        if (what === 'wait') clock.advance(ms);
        const throttled = tally.sum('dossier.throttled');
        expect(throttled).toBeGreaterThanOrEqual(before);
        expect(throttled).toBeLessThanOrEqual(clock.monotonicMs() / 1_000 + 1e-6);
        before = throttled;
      }
    }),
  );
});

test('a rate that was lowered is a gauge, for a job that has a rate', () => {
  const { tally, meter } = openMeter();
  const lowered = { type: 'rate.lowered', perSecond: 8, reason: 'throttled' } as const;
  meter.onEvent({ ...lowered, ceiling: 'none' });
  expect(tally.sum('dossier.rate')).toBe(0);
  meter.onEvent({ ...lowered, ceiling: 20 });
  expect(tally.sum('dossier.rate')).toBe(8);
});

test('what a start has spent is told in requests, and in money where there is a price', () => {
  const tally = openTally();
  const money = { currency: 'AUD', micros: 1_320_000 };
  meterRun(tally.record, openFakeClock(), { spent: 11, money }).update();
  expect(tally.sum('dossier.run.requests')).toBe(11);
  expect(tally.sum('dossier.run.cost')).toBe(1.32);
  const free = openTally();
  meterRun(free.record, openFakeClock(), { spent: 2, money: undefined }).update();
  expect(free.sum('dossier.run.requests')).toBe(2);
  expect(free.sum('dossier.run.cost')).toBe(0);
});

test('changes are counted by what happened, where there was a run to compare with', () => {
  const { tally, meter } = openMeter();
  const changes = { ...noChanges(), company_found: 3, person_left: 1 };
  const written = { changesSince: null, counts: { changes } } as unknown as RunExport;
  meter.onWritten?.(written);
  expect(tally.sum('dossier.run.changes', { op: 'company_found' })).toBe(0);
  meter.onWritten?.({ ...written, changesSince: 'r29' });
  expect(tally.sum('dossier.run.changes', { op: 'company_found' })).toBe(3);
  expect(tally.sum('dossier.run.changes', { op: 'person_left' })).toBe(1);
});
