import { expect, test } from 'vitest';
import { jobsTable } from '../../../src/cli/status/jobs-table.ts';
import type { JobStatus } from '../../../src/overview/status/status-json.ts';
import { sampleFacts } from '../../support/sample-run.ts';
import { terminal } from '../../support/terminal.ts';

const job: JobStatus = {
  job: 'a'.repeat(64),
  running: true,
  runCount: 12,
  starts: [],
  runs: [
    {
      ...sampleFacts,
      run: 'r1234',
      state: 'undelivered',
      rows: { ...sampleFacts.rows, total: 999_999, matched: 123_456, open: 876_543 },
      calls: { ...sampleFacts.calls, made: 123_456 },
      goOn: null,
    },
  ],
};

test('the longest name and a million rows stay within 80 columns', () => {
  const lines = jobsTable([job], 79, terminal(80));
  expect(lines).toEqual([
    'job           state           rows  matched     open    calls  started, UTC',
    'aaaaaaaaaaa…  undelivered  999,999  123,456  876,543  123,456  2026-08-22 04:12',
  ]);
  for (const line of lines) expect(line.length).toBeLessThan(80);
});

test('no job is no table', () => expect(jobsTable([], 79, terminal(80))).toEqual([]));
