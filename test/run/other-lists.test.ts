import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openLedgerToRead } from '../../src/engine/ledger/open-ledger.ts';
import type { ResolvedJob } from '../../src/job/resolved-job.ts';
import { domains } from '../engine/queue/small-world.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { noSnapshot } from '../support/test-job.ts';
import { jobIn, runNight, tableIn } from './nights.ts';

const atMost20 = { comparison: '<=', limit: 20, unit: 'percent', text: '<= 20%' } as const;

/** The job as `--input` starts it: over another list. */
function withList(job: ResolvedJob, name: string, text: string): ResolvedJob {
  const path = join(job.list, '..', name);
  writeFileSync(path, text);
  return { ...job, input: { ...job.input, path } };
}

function createJob(folder: string, changes: Partial<ResolvedJob> = {}): ResolvedJob {
  const job = jobIn(folder);
  return { ...job, list: job.input.path, ...changes };
}

const opsOf = (job: ResolvedJob) => tableIn(job, 'changes').map(({ op }) => op);
const shortList = ['website', ...domains.slice(0, 2)].join('\n');

test('a run over another list does not come between two nights of the list', async () => {
  using folder = temporaryFolder();
  const job = createJob(folder.path, { expect: [{ ...atMost20, name: 'rowsDrop' }] });
  await runNight(job, 1);
  // Nobody has read this list before, so it is held against the last night, and accepted as it is.
  const short = withList({ ...job, expect: [] }, 'short.csv', shortList);
  await runNight(short, 2);
  const times = tableIn(short, 'companies').map(({ changed_at }) => changed_at);
  expect(new Set(times)).toEqual(new Set(['2026-01-01T02:00:00.000Z']));
  expect(opsOf(short)).toEqual(domains.slice(2).map(() => 'row_removed'));

  const next = await runNight(job, 3);
  expect(next).toMatchObject({ held: null, asked: [] });
  expect(opsOf(job)).toEqual([]);
  expect(next.exported.changes.since).toBe('r1');
  expect(tableIn(job, 'companies').map(({ changed_at }) => changed_at)).toEqual(
    domains.map(() => '2026-01-01T02:00:00.000Z'),
  );
  // What stands from the first night is not stored again.
  using ledger = openLedgerToRead(job.ledger);
  expect(ledger?.outcomes.hasAny(1, next.run.id, job.name)).toBe(0);

  // The short list is held against its own last run, and not against the longer one.
  const again = await runNight({ ...short, expect: job.expect }, 4);
  expect(again).toMatchObject({ held: null });
  expect(again.exported.changes.since).toBe('r2');
});

test('lists with a date in their names follow each other', async () => {
  using folder = temporaryFolder();
  const job = createJob(folder.path);
  const text = (sites: readonly string[]) => ['website', ...sites].join('\n');
  await runNight(withList(job, 'leads-01.csv', text(domains)), 1);
  const second = await runNight(withList(job, 'leads-02.csv', text(domains.slice(1))), 2);
  expect(second.exported.changes.since).toBe('r1');
  expect(opsOf(job)).toEqual(['row_removed']);
});

test('a list of another form leaves the keys of the next night as they were', async () => {
  using folder = temporaryFolder();
  const ids = domains.map((domain, index) => `${domain},row-${index}`);
  const job = createJob(folder.path);
  writeFileSync(job.input.path, ['website,id', ...ids].join('\n'));
  await runNight(job, 1);
  await runNight(withList(job, 'short.csv', shortList), 2);
  await runNight(job, 3);
  expect(opsOf(job)).toEqual([]);
  expect(tableIn(job, 'companies').map(({ row_key }) => row_key)).toEqual(
    domains.map((_, index) => `row-${index}`),
  );
});

test('many runs over another list leave what the next night is compared with', async () => {
  using folder = temporaryFolder();
  const job = createJob(folder.path, {
    ledgerCare: { keepRuns: 1, mustExist: false, ...noSnapshot },
  });
  await runNight(job, 1);
  for (const night of [2, 3, 4]) await runNight(withList(job, 'short.csv', shortList), night);
  const next = await runNight(job, 5);
  expect(next.exported.changes.since).toBe('r1');
  expect(opsOf(job)).toEqual([]);
});
