import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Call } from '../../src/core/contract/call.ts';
import type { ResolvedJob } from '../../src/job/resolved-job.ts';
import { answerOf, domains } from '../engine/queue/small-world.ts';
import { failure, miss } from '../support/answers.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { day } from '../support/test-job.ts';
import { jobIn, runNight, tableIn, world } from './nights.ts';

const [first = '', second = '', third = ''] = domains;

/** A job that asks for everything every night, and keeps no stale answer. */
function createJob(folder: string, staleOnFailureMs = 0): ResolvedJob {
  const reuse = { companiesMs: 0, missesMs: 0, peopleMs: 0, spread: 0, staleOnFailureMs };
  return { ...jobIn(folder), reuse };
}

const asksFor = (call: Call, domain: string) =>
  call.operation === 'company' && call.identifier.value === domain;

const changesIn = (job: ResolvedJob) =>
  tableIn(job, 'changes').map(({ op, row_key, person_id }) => `${op} ${person_id || row_key}`);

const keyOf = (job: ResolvedJob, domain: string) =>
  tableIn(job, 'companies').find(({ input_website }) => input_website === domain)?.row_key;

test('changes hidden by a failed run are reported by the next', async () => {
  using folder = temporaryFolder();
  const job = createJob(folder.path);
  await runNight(job, 1);
  const key = keyOf(job, first);
  const down = (call: Call) => (call.operation === 'company' ? failure : answerOf(world, call));
  await runNight(job, 2, down);
  expect(changesIn(job)).toEqual([]);
  await runNight(job, 3, down);
  expect(changesIn(job)).toEqual([]);

  // One company is gone, one is another one, one has fewer people; the others are back as they were.
  const replaced = { ...world.companies[1], id: 'c_9' } as (typeof world.companies)[number];
  const fewer = { ...world.companies[2], people: { '3': 1 } } as (typeof world.companies)[number];
  const companies = [replaced, fewer, ...world.companies.slice(3)];
  await runNight(job, 4, (call) =>
    asksFor(call, first) ? miss : answerOf({ ...world, companies }, call),
  );
  const [lost, other, ...others] = tableIn(job, 'changes');
  expect(lost).toMatchObject({ op: 'company_lost', row_key: key, since_run: 'r3' });
  expect(lost?.before_fetched_at).toBe('2026-01-01T02:00:00.000Z');
  expect(other).toMatchObject({ op: 'company_replaced', row_key: keyOf(job, second) });
  expect(others).toMatchObject([{ op: 'person_left', row_key: keyOf(job, third) }]);

  // The files of the failed nights had none of this: a warehouse takes every record anew.
  const times = tableIn(job, 'companies').map(({ changed_at }) => changed_at);
  expect(new Set(times)).toEqual(new Set(['2026-01-04T02:00:00.000Z']));
});

test('a company that is found for the first time after a failed night is found', async () => {
  using folder = temporaryFolder();
  const job = createJob(folder.path);
  await runNight(job, 1, (call) => (asksFor(call, first) ? failure : answerOf(world, call)));
  await runNight(job, 2);
  expect(changesIn(job)).toEqual([`company_found ${keyOf(job, first)}`]);
});

test('people who come back stale are as new as the night on which they came back', async () => {
  using folder = temporaryFolder();
  const job = createJob(folder.path, 60 * day);
  const write = (sites: readonly string[]) =>
    writeFileSync(job.input.path, ['website', ...sites].join('\n'));
  await runNight(job, 1);
  write(domains.slice(2));
  await runNight(job, 2);
  write(domains);
  // The company itself fails for the first row, and only its people for the second.
  const isDown = (call: Call) =>
    asksFor(call, first) || (call.operation === 'people' && call.companyId === 'c_1');
  await runNight(job, 3, (call) => (isDown(call) ? failure : answerOf(world, call)));
  const timesOf = (company: string) =>
    tableIn(job, 'people')
      .filter(({ company_id }) => company_id === company)
      .map(({ stale, changed_at }) => [stale, changed_at]);
  const back = ['true', '2026-01-03T02:00:00.000Z'];
  expect(timesOf('c_0')).toEqual([back, back]);
  expect(timesOf('c_1')).toEqual([back, back]);
  expect(timesOf('c_2')[0]).toEqual(['false', '2026-01-01T02:00:00.000Z']);

  // On another such night they are as they were.
  await runNight(job, 4, (call) => (isDown(call) ? failure : answerOf(world, call)));
  expect(timesOf('c_0')).toEqual([back, back]);
  expect(timesOf('c_1')).toEqual([back, back]);
});
