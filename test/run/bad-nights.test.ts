import { expect, test } from 'vitest';
import type { CallRequest } from '../../src/contract/call.ts';
import { DossierError } from '../../src/errors.ts';
import { answerOf, domains } from '../queue/small-world.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { day } from '../support/test-job.ts';
import { failure, jobIn, runNight, tableIn, world } from './nights.ts';

const people = domains.length * 2;
const all = (count: number, text: string) => Array.from({ length: count }, () => text);

test('people whose search fails night after night stay, as stale ones', async () => {
  using folder = temporaryFolder();
  const job = jobIn(folder.path);
  await runNight(job, 1);
  for (const night of [40, 41, 42]) {
    await runNight(job, night, (call) =>
      call.operation === 'people' ? failure : answerOf(world, call),
    );
    expect(tableIn(job, 'people').map(({ stale }) => stale)).toEqual(all(people, 'true'));
  }
});

test('searches of a run that was given up are not those of the next', async () => {
  using folder = temporaryFolder();
  const job = jobIn(folder.path);
  await runNight(job, 1);
  const anew = { ...job, reuse: { ...job.reuse, peopleMs: 0 } };
  const stopped = runNight(anew, 2, (call: CallRequest) => {
    if (call.operation === 'company') return answerOf(world, call);
    throw new DossierError('SERVICE_DOWN', 'too many failures');
  });
  await expect(stopped).rejects.toMatchObject({ code: 'SERVICE_DOWN' });
  expect((await runNight(job, 3)).asked).toEqual([]);
  expect(tableIn(job, 'people').map(({ stale }) => stale)).toEqual(all(people, 'false'));
  const complete = tableIn(job, 'companies').map(({ people_complete }) => people_complete);
  expect(complete).toEqual(all(domains.length, 'true'));
});

test('a record whose people were not all received has changed, and again when they are', async () => {
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
