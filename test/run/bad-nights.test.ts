import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import type { Call, CallResult } from '../../src/core/contract/call.ts';
import { DossierError } from '../../src/core/errors.ts';
import type { ResolvedJob } from '../../src/job/resolved-job.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { answerOf, domains } from '../engine/queue/small-world.ts';
import { failure, miss } from '../support/answers.ts';
import { succeeded } from '../support/run-dossier.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { day } from '../support/test-job.ts';
import { exportOf, jobIn, runNight, tableIn, world } from './nights.ts';

const people = domains.length * 2;
const all = (count: number, text: string) => Array.from({ length: count }, () => text);

test('searches of a run that was given up are not those of the next', async () => {
  using folder = temporaryFolder();
  const job = jobIn(folder.path);
  await runNight(job, 1);
  const anew = { ...job, reuse: { ...job.reuse, peopleMs: 0 } };
  const stopped = runNight(anew, 2, (call: Call) => {
    if (call.operation === 'company') return answerOf(world, call);
    throw new DossierError('SERVICE_DOWN', 'too many failures');
  });
  await expect(stopped).rejects.toMatchObject({ code: 'SERVICE_DOWN' });
  expect((await runNight(job, 3)).asked).toEqual([]);
  expect(tableIn(job, 'people').map(({ stale }) => stale)).toEqual(all(people, 'false'));
  const complete = tableIn(job, 'companies').map(({ people_complete }) => people_complete);
  expect(complete).toEqual(all(domains.length, 'true'));
});

test('a stopped run writes the people that it paid for, beside those of earlier searches', async () => {
  using folder = temporaryFolder();
  const job = jobIn(folder.path);
  await runNight(job, 1);
  const searches = ['3', '4'].map((seniority) => ({ ...anySearch, seniority }));
  const both = { ...job, people: { searches, pageSize: 9, maxPerCompany: 20 } };
  const bigger = {
    ...world,
    companies: world.companies.map((one) => ({ ...one, people: { '3': 2, '4': 12 } })),
  };
  let paid = 0;
  const stopped = runNight(both, 2, (call: Call) => {
    if (call.operation === 'people') paid += 1;
    if (paid > 2) throw new DossierError('SERVICE_DOWN', 'too many failures');
    return answerOf(bigger, call);
  });
  await expect(stopped).rejects.toMatchObject({ code: 'SERVICE_DOWN' });
  await exportOf(both, { path: join(folder.path, 'sofar') });
  const written = parse<Record<string, string>>(
    readFileSync(join(folder.path, 'sofar/people.csv')),
    { columns: true },
  );
  const found = Map.groupBy(written, ({ seniority }) => seniority);
  expect([found.get('3')?.length, found.get('4')?.length]).toEqual([people, 18]);
});

const anySearch = { seniority: undefined, department: undefined, position: undefined };

test('a record with incomplete people has changed, and again when they are complete', async () => {
  using folder = temporaryFolder();
  const job = jobIn(folder.path);
  const told: (readonly [string | undefined, string | undefined])[] = [];
  // People expire on the second of these nights, companies do not.
  const shorter = { ...job, reuse: { ...job.reuse, peopleMs: 5 * day } };
  for (const night of [1, 10, 11, 12]) {
    await runNight(shorter, night, (call) =>
      call.operation === 'people' && night === 10 ? failure : answerOf(world, call),
    );
    const [row] = tableIn(job, 'companies');
    told.push([row?.people_complete, row?.changed_at?.slice(0, 10)]);
  }
  expect(told).toEqual([
    ['true', '2026-01-01'],
    ['false', '2026-01-10'],
    ['true', '2026-01-11'],
    ['true', '2026-01-11'],
  ]);
});

test('a company that is missed once stays, and goes when it is missed again the next night', async () => {
  using folder = temporaryFolder();
  const job = jobIn(folder.path);
  const looked = { ...job, people: undefined, reuse: { ...job.reuse, companiesMs: 0 } };
  const [lost = ''] = domains;
  const isLost = (call: Call) => JSON.stringify(call).includes(`"${lost}"`);
  const without = (call: Call) => (isLost(call) ? miss : answerOf(world, call));
  const rowOf = () =>
    tableIn(looked, 'companies').find(({ input_website }) => input_website === lost);
  await runNight(looked, 1);
  const first = await runNight(looked, 2, without);
  expect(first).toMatchObject({ exitCode: 0, held: null });
  expect(first.asked.some(isLost)).toBe(true);
  expect(rowOf()).toMatchObject({ status: 'matched', stale: 'true' });
  // The same night it is not looked up again, and a try proves nothing.
  const again = await runNight(looked, 2, without);
  expect(again.asked.some(isLost)).toBe(false);
  expect(rowOf()).toMatchObject({ status: 'matched', stale: 'true' });
  const fixing = await runNight(looked, 2, without, { isFix: true });
  expect(fixing).toMatchObject({ exitCode: 0, exported: { rows: { stale: 1 } } });
  await runNight({ ...looked, input: { ...looked.input, maxRows: 1 } }, 3, without);
  expect(rowOf()).toMatchObject({ status: 'matched', stale: 'true' });
  const second = await succeeded(runNight(looked, 4, without));
  expect(second.asked.some(isLost)).toBe(true);
  expect(rowOf()).toMatchObject({ status: 'not_found' });
});

describe('a company that is missed on a quiet night, on which no other is looked up,', () => {
  const [lost = ''] = domains;
  const without = (call: Call) =>
    JSON.stringify(call).includes(`"${lost}"`) ? miss : answerOf(world, call);
  const hourMs = 3_600_000;

  /** Found together with others, then the only one that is looked up. Gives its status over time. */
  async function createQuietJob(folder: string) {
    const plain = jobIn(folder);
    const job = { ...plain, people: undefined, reuse: { ...plain.reuse, companiesMs: day } };
    await runNight(job, 1);
    const other = { ...job, name: 'other', input: { ...job.input, path: join(folder, 'o.csv') } };
    const output = { ...job.output, path: join(folder, 'other') };
    writeFileSync(other.input.path, `website\n${domains[1]}`);
    const at = (hours: number) => ({
      clock: { ...systemClock, wallMs: () => Date.UTC(2026, 0, 3, 2) + hours * hourMs },
    });
    return {
      /** Hours after the first miss. */
      async statusAt(hours: number) {
        const { asked } = await runNight(withSites(job, [lost]), 0, without, at(hours));
        return [asked.length, tableIn(job, 'companies')[0]?.status];
      },
      findOther: (hours: number) => runNight({ ...other, output }, 0, undefined, at(hours)),
    };
  }

  test('goes with the third miss, two days after the first, and is asked for no more often', async () => {
    using folder = temporaryFolder();
    const { statusAt } = await createQuietJob(folder.path);
    expect(await statusAt(0)).toEqual([1, 'matched']);
    expect(await statusAt(1)).toEqual([0, 'matched']);
    expect(await statusAt(24)).toEqual([1, 'matched']);
    expect(await statusAt(47)).toEqual([0, 'matched']);
    expect(await statusAt(48)).toEqual([1, 'not_found']);
    expect(await statusAt(96)).toEqual([0, 'not_found']);
  });

  test('goes with the second miss if another job found a company since the first', async () => {
    using folder = temporaryFolder();
    const { statusAt, findOther } = await createQuietJob(folder.path);
    expect(await statusAt(0)).toEqual([1, 'matched']);
    expect((await findOther(12)).asked).toHaveLength(1);
    expect(await statusAt(24)).toEqual([1, 'not_found']);
  });
});

test('a company with an unconfirmed miss stays with its people if the next lookup fails', async () => {
  using folder = temporaryFolder();
  const job = jobIn(folder.path);
  const looked = { ...job, reuse: { ...job.reuse, companiesMs: 0 } };
  const [lost = ''] = domains;
  const rowOf = () => tableIn(job, 'companies').find(({ input_website }) => input_website === lost);
  const answering = (outcome: CallResult) => (call: Call) =>
    JSON.stringify(call).includes(`"${lost}"`) ? outcome : answerOf(world, call);
  await runNight(looked, 1);
  await runNight(looked, 2, answering(miss));
  expect(tableIn(job, 'people')).toHaveLength(people);
  const failed = await runNight(looked, 3, answering(failure));
  expect(failed.exitCode).toBe(3);
  expect(rowOf()).toMatchObject({ status: 'matched', stale: 'true' });
  expect(tableIn(job, 'people')).toHaveLength(people);
  await runNight(looked, 4, answering(miss));
  expect(rowOf()).toMatchObject({ status: 'not_found', stale: 'false' });
});

function withSites(job: ResolvedJob, sites: readonly string[]) {
  writeFileSync(job.input.path, ['website', ...sites].join('\n'));
  return job;
}
