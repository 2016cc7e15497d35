import { expect, test } from 'vitest';
import { status } from '../../src/cli/status.ts';
import type { JobStatus } from '../../src/ui/overview/status.ts';
import { rendered } from '../support/rendered.ts';
import { sampleFacts } from '../support/sample-run.ts';

const newest = {
  ...sampleFacts,
  job: 'a'.repeat(64),
  run: 'r1234',
  state: 'undelivered' as const,
  rows: { ...sampleFacts.rows, total: 999_999, matched: 123_456, open: 876_543 },
  calls: { ...sampleFacts.calls, made: 123_456 },
};
const job: JobStatus = {
  job: 'a'.repeat(64),
  running: true,
  runCount: 12,
  starts: [],
  runs: [newest],
};

function linesAt(columns: number, jobs: readonly JobStatus[], name?: string): string[] {
  const found = { ledger: '/tmp/ledger.db', jobs, lookups: null, snapshot: null };
  return rendered(status, found, columns, { job: name }).split('\n').slice(0, -1);
}

test.each([40, 80])('a table that does not fit %d columns has one line per cell', (columns) => {
  const lines = linesAt(columns, [job]);
  expect(lines).toContainEqual(expect.stringMatching(/^matched +123,456$/));
  for (const line of lines) expect(line.length).toBeLessThan(columns);
});

test('the runs of a job fit 40 columns', () => {
  const held = { expectation: 'rows', expected: '>= 9', found: '5', message: 'rows: 5, not >= 9' };
  const start = {
    ...{ startedAt: newest.startedAt, state: 'ended', endedAt: null, seconds: 61, pid: 1 },
    ...{ startedBy: 'script', exitCode: 75, reason: 'BUDGET_SPENT', run: 'r1234' },
    ...{ host: 'crow', version: '1.0.0' },
  } as const;
  const possiblyCharged = Array.from({ length: 11 }, () => 'company?country=AU&fqdn=globex.com');
  const run = { ...newest, sampleData: true, held: [held], possiblyCharged };
  const shown = { ...job, job: 'leads', starts: [start], runs: [run] } as JobStatus;
  for (const line of linesAt(40, [shown], 'leads')) expect(line.length).toBeLessThan(40);
});

test('no jobs print no table', () => expect(linesAt(80, [])).toEqual([]));
