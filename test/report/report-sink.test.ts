import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { flattenRow } from '../../src/records/flatten-row.ts';
import { openReporter } from '../../src/report/report-sink.ts';
import { openRunTally } from '../../src/sinks/tally/run-tally.ts';
import { noRecords } from '../../src/sinks/write-records.ts';
import { matchedRow } from '../records/sample-records.ts';
import { sampleFacts } from '../sinks/sample-run.ts';
import { openPlainReporter, readReport } from '../support/plain-report.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { testJob } from '../support/test-job.ts';
import { ingestTestRun, listOf } from '../support/test-run.ts';

const names = { seniority: {}, department: {} };
const written = { counts: { ...noRecords(), rows: 1, matched: 1 }, files: [] };

test('a page that was never built is told with what to do, and nothing fails', async () => {
  using folder = temporaryFolder();
  using ledger = openLedger(':temporary:');
  const run = await sampleRun(ledger);
  const reporter = openReporter(undefined, join(folder.path, 'absent.html'));
  const sink = reporter.openReport({ folder: folder.path, ledger, run, facts: sampleFacts, names });
  sink.show(openRunTally().facts());
  await sink.prepare(written);
  await sink.commit();
  expect(reporter.trouble()).toContain('npm run build:page');
  expect(reporter.path()).toBeUndefined();
  expect(existsSync(join(folder.path, 'report.html'))).toBe(false);
});

test('the report is one file beside the others, with what was counted', async () => {
  using folder = temporaryFolder();
  using ledger = openLedger(':temporary:');
  const run = await sampleRun(ledger);
  const reporter = openPlainReporter(folder.path);
  const sink = reporter.openReport({ folder: folder.path, ledger, run, facts: sampleFacts, names });
  const tally = openRunTally();
  for (const number of [1, 2, 3]) tally.add({ row: flattenRow(matchedRow(number), 2) });
  sink.show(tally.facts());
  await sink.prepare(written);
  expect(existsSync(join(folder.path, 'report.html'))).toBe(false);
  await sink.commit();
  await sink.abort();
  expect(reporter.path()).toBe(join(folder.path, 'report.html'));
  expect(reporter.trouble()).toBe('');
  expect(readReport(folder.path)).toMatchObject({
    run: { id: sampleFacts.run.id },
    insight: { companies: 3 },
  });
});

test('a report that is not committed leaves no file', async () => {
  using folder = temporaryFolder();
  using ledger = openLedger(':temporary:');
  const run = await sampleRun(ledger);
  const reporter = openPlainReporter(folder.path);
  const sink = reporter.openReport({ folder: folder.path, ledger, run, facts: sampleFacts, names });
  sink.show(openRunTally().facts());
  await sink.prepare(written);
  await sink.abort();
  expect(reporter.path()).toBeUndefined();
  expect(readdirSync(folder.path)).toEqual(['page.html']);
});

async function sampleRun(ledger: ReturnType<typeof openLedger>) {
  const job = testJob({ identify: [{ column: 'website', as: 'fqdn' }] });
  const { run } = await ingestTestRun(ledger, job, listOf(['website'], [['acme.com.au']]));
  return run;
}
