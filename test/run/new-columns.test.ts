import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { domains } from '../engine/queue/small-world.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { jobIn, runNight, tableIn } from './nights.ts';

const firstNight = '2026-01-01T02:00:00.000Z';

test('a column of the list that comes or goes without a value changes nothing', async () => {
  using folder = temporaryFolder();
  const job = { ...jobIn(folder.path), changes: { include: ['input_*'] } };
  const write = (header: string, cells: string) => {
    const lines = domains.map((domain) => `${domain}${cells}`);
    writeFileSync(job.input.path, [`website${header}`, ...lines].join('\n'));
  };
  const changes = () => tableIn(job, 'changes').map(({ op, columns }) => `${op} ${columns}`);
  const times = () => new Set(tableIn(job, 'companies').map(({ changed_at }) => changed_at));
  await runNight(job, 1);
  write(',notes', ',');
  expect(await runNight(job, 2)).toMatchObject({ asked: [] });
  expect(changes()).toEqual([]);
  expect(times()).toEqual(new Set([firstNight]));

  write('', '');
  await runNight(job, 3);
  expect(changes()).toEqual([]);
  expect(times()).toEqual(new Set([firstNight]));

  write(',notes', ',called');
  await runNight(job, 4);
  expect(changes()).toEqual(domains.map(() => 'company_changed input_notes'));
  expect(times()).toEqual(new Set(['2026-01-04T02:00:00.000Z']));
});
