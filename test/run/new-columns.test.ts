import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ResolvedJob } from '../../src/job/resolved-job.ts';
import { Expect } from '../../src/job/schema/output-fields.ts';
import { domains } from '../engine/queue/small-world.ts';
import { manifestIn } from '../support/manifest-in.ts';
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

test('a column that is gone since the last published run of the list gives one warning', async () => {
  using folder = temporaryFolder();
  const job = jobIn(folder.path);
  const write = (header: string, path = job.input.path) => {
    const lines = domains.map((domain) => `${domain},a,b`);
    writeFileSync(path, [`website,${header}`, ...lines].join('\n'));
  };
  const night = async (number: number, changes: Partial<ResolvedJob> = {}) => {
    const { exported } = await runNight({ ...job, ...changes }, number);
    return exported.warnings.map(({ message }) => message);
  };
  write('owner,phone');
  expect(await night(1)).toEqual([]);
  write('phone,notes');
  const gone = 'column owner is gone since r1';
  const held = [Expect.shape.matchRate.unwrap().parse('> 100%')];
  expect(await night(2, { expect: held })).toEqual([gone]);
  expect(await night(3)).toEqual([gone]);
  expect(manifestIn(job.output.path)).toMatchObject({
    warnings: [{ kind: 'gone_column', name: 'owner', message: gone }],
  });
  expect(await night(4)).toEqual([]);
  // Neither another list nor the first rows of this one lose a column.
  const path = join(folder.path, 'other.csv');
  write('mail,fax', path);
  expect(await night(5, { input: { ...job.input, path } })).toEqual([]);
  write('mail,fax');
  expect(await night(6, { input: { ...job.input, maxRows: 1 } })).toEqual([]);
  expect(await night(7)).toEqual(
    ['phone', 'notes'].map((name) => `column ${name} is gone since r4`),
  );
});
