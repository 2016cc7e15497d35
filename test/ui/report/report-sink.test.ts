import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openLedger } from '../../../src/engine/ledger/open-ledger.ts';
import { writeRecords } from '../../../src/results/sink.ts';
import { createRunTally } from '../../../src/results/tally/run-tally.ts';
import { createReporter } from '../../../src/ui/report/report-sink.ts';
import { matchedRow } from '../../core/columns/sample-records.ts';
import { sampleFacts, sourceOf } from '../../results/sample-run.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { testJob } from '../../support/test-job.ts';
import { ingestTestRun, listOf } from '../../support/test-run.ts';

const names = { seniority: {}, department: {} };
const written = await writeRecords(sourceOf([matchedRow(1)]), [], names);

test('a page that was never built is told with what to do, and nothing fails', async () => {
  using folder = temporaryFolder();
  using ledger = openLedger(':temporary:');
  const job = testJob({ identify: [{ column: 'website', as: 'fqdn' }] });
  const { run } = await ingestTestRun(ledger, job, listOf(['website'], [['acme.com.au']]));
  const reporter = createReporter(undefined, join(folder.path, 'absent.html'));
  const textOf = reporter.createReport({
    folder: folder.path,
    ledger,
    records: ledger.records(undefined),
    run,
    facts: sampleFacts,
    identify: job.identify,
  });
  expect(textOf({ ...written, files: [] }, createRunTally().facts())).toBeUndefined();
  expect(reporter.problem()).toContain('npm run build:page');
  expect(reporter.path()).toBeUndefined();
});
