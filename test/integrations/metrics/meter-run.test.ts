import { expect, test } from 'vitest';
import type { RunRecord } from '../../../src/core/columns/tables.ts';
import { noCounts } from '../../../src/core/rules/outcomes.ts';
import type { RecordMetric } from '../../../src/integrations/metrics/metric-table.ts';
import { meterRun } from '../../../src/integrations/metrics/open-metrics.ts';
import { noChanges } from '../../../src/results/compare-runs.ts';
import { createRunTally } from '../../../src/results/tally/run-tally.ts';
import type { RunExport } from '../../../src/run/export/export-run.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

/** The sum of all recorded values of a metric with these labels. */
function createTally(): { record: RecordMetric; sum(metric: string, labels?: object): number } {
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

function createMeter() {
  const clock = createFakeClock();
  const tally = createTally();
  const meter = meterRun(tally.record, clock);
  return { clock, tally, meter };
}

test('stale rows and the rest of a budget are reported; without a budget the metric is absent', () => {
  const rows = { ...noCounts().rows, matched: 9, stale: 4 };
  const measure = (left: number) => {
    const tally = createTally();
    const meter = meterRun(tally.record, createFakeClock(), {
      byService: [{ spent: 3, money: undefined }],
      left,
    });
    meter.onProgress({ ...noCounts(), rows });
    meter.update();
    return tally;
  };
  expect(measure(7).sum('dossier_run_rows_stale')).toBe(4);
  expect(measure(7).sum('dossier_run_budget_left')).toBe(7);
  expect(measure(Number.POSITIVE_INFINITY).sum('dossier_run_budget_left')).toBe(0);
});

test.each([
  [404, 'miss', '4xx', 'miss'],
  [undefined, 'transient', 'none', 'transient'],
  [999, 'unusable', 'other', 'unusable'],
  [200, 'something new', '2xx', 'other'],
])('an answer of %s that is a %s counts as %s, %s', (given, judged, status, verdict) => {
  const { tally, meter } = createMeter();
  meter.onEvent({
    type: 'attempt.made',
    operation: 'company',
    ...(given !== undefined && { status: given }),
    verdict: judged,
    durationMs: 250,
  });
  expect(tally.sum('dossier_attempts_total', { operation: 'company', status, verdict })).toBe(1);
  expect(tally.sum('dossier_attempt_duration_seconds', { operation: 'company' })).toBe(0.25);
});

test('changes are counted by kind, if there is an earlier run, and so are the runs that destinations lack', () => {
  const { tally, meter } = createMeter();
  const changes = { ...noChanges(), company_found: 3, person_left: 1 };
  const destinations = [2, 0].map((behind) => ({ kind: 's3', behind }));
  const written = (since: string | null) =>
    ({ changes: { since, ...changes }, destinations }) as unknown as RunExport;
  meter.onWritten?.(written(null));
  expect(tally.sum('dossier_run_changes', { op: 'company_found' })).toBe(0);
  expect(tally.sum('dossier_destination_runs_behind', { kind: 's3' })).toBe(2);
  meter.onWritten?.(written('r29'));
  expect(tally.sum('dossier_run_changes', { op: 'company_found' })).toBe(3);
  expect(tally.sum('dossier_run_changes', { op: 'person_left' })).toBe(1);
});

test('the age of the oldest answer in the files is reported', () => {
  const { tally, meter } = createMeter();
  const row = (fetchedAt: string | null) =>
    ({ row: { row: { status: 'open', fetchedAt, cells: [] }, cells: [] } }) as unknown as RunRecord;
  const counting = createRunTally();
  for (const at of ['2026-11-03T00:00:00.000Z', '2026-11-01T00:00:00.000Z', null]) {
    counting.add(row(at));
  }
  const changes = { since: null, ...noChanges() };
  meter.onWritten?.({ changes, destinations: [], tally: counting.facts() } as unknown as RunExport);
  expect(tally.sum('dossier_run_answers_oldest_timestamp_seconds')).toBe(
    Date.UTC(2026, 10, 1) / 1_000,
  );
});
