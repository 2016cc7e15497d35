import { expect, test } from 'vitest';
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
