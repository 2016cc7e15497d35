import { expect, test } from 'vitest';
import type { CallRequest } from '../../src/contract/call.ts';
import { DossierError } from '../../src/errors.ts';
import { answerOf, domains } from '../queue/small-world.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
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
