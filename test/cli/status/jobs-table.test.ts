import { expect, test } from 'vitest';
import { jobsTable } from '../../../src/cli/status/jobs-table.ts';
import type { JobStatus } from '../../../src/overview/status/status-json.ts';
import { terminal } from '../../support/terminal.ts';

const job: JobStatus = {
  job: 'a'.repeat(64),
  running: true,
  runCount: 12,
  starts: [],
  runs: [
    {
      run: 'r1234',
      state: 'interrupted',
      held: null,
      overtaken: false,
      acceptedAt: null,
      sampleData: false,
      input: 'leads.csv',
      limit: null,
      startedAt: '2026-08-22T04:12:09.113Z',
      endedAt: null,
      prunedAt: null,
      seconds: null,
      rows: {
        total: 999_999,
        matched: 123_456,
        not_found: 0,
        invalid: 0,
        failed: 0,
        open: 876_543,
        stale: 0,
      },
      calls: { made: 123_456, shared: 0, reused: 0, joined: 0, open: 0 },
      requests: 0,
      money: [],
      people: 0,
      failedSearches: 0,
      doubtful: [],
      aside: null,
      goOn: null,
    },
  ],
};

test('the longest name and a million rows stay within 80 columns', () => {
  const lines = jobsTable([job], 79, terminal(80));
  expect(lines).toEqual([
    'job           state           rows  matched     open    calls  started, UTC',
    'aaaaaaaaaaa…  interrupted  999,999  123,456  876,543  123,456  2026-08-22 04:12',
  ]);
  for (const line of lines) expect(line.length).toBeLessThan(80);
});

test('no job is no table', () => expect(jobsTable([], 79, terminal(80))).toEqual([]));
