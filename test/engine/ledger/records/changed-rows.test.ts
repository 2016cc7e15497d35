import { expect, test } from 'vitest';
import type { RecordedRun } from '../../../../src/core/columns/run-records.ts';
import { openLedger } from '../../../../src/engine/ledger/open-ledger.ts';
import { testJob } from '../../../support/test-job.ts';
import { ingestTestRun, listOf } from '../../../support/test-run.ts';
import { domains } from '../../queue/small-world.ts';

const job = testJob({
  input: { ...testJob().input, key: ['id'] },
  identify: [{ column: 'website', as: 'fqdn' }],
});
test('rows of one key that change their order are not reported as replaced', async () => {
  using ledger = openLedger(':temporary:');
  const [one = '', other = '', third = ''] = domains;
  const runs: RecordedRun[] = [];
  for (const websites of [
    [one, other],
    [third, other, one],
    [other, third],
  ]) {
    const given = listOf(
      ['id', 'website'],
      websites.map((website) => ['7', website]),
    );
    const started = await ingestTestRun(ledger, job, given, 1_000, ledger.runs.list(job.name)[0]);
    ledger.runs.finish(started.run.id, 2_000);
    runs.push({ ...started.run, finishedAt: 2_000 });
  }
  const changes = (base = 0, run = 0) =>
    [
      ...ledger
        .records(undefined)
        .changed(runs[base] as RecordedRun, runs[run] as RecordedRun)
        .rows(),
    ].map(({ key, before, after }) => [key, before?.record.cells[1], after?.record.cells[1]]);
  expect(changes(0, 1)).toEqual([
    ['7', undefined, third],
    ['7#3', one, one],
  ]);
  expect(changes(1, 2)).toEqual([
    ['7', other, other],
    ['7#2', third, third],
    ['7#3', one, undefined],
  ]);
});
