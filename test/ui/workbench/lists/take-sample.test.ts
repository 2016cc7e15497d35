import { randomBytes } from 'node:crypto';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeList, inspectSample, sampleList } from '../../../../src/ui/overview/lists.ts';
import {
  describeSampled,
  inspectSampled,
  takeSample,
} from '../../../../src/ui/workbench/lists/look-at-list.ts';
import { makeWorkbook, textRow } from '../../../support/make-workbook.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

test('a large workbook is read in a thread, and just the same', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'large.xlsx');
  const filler = (line: number) => textRow(line, 'acme.com.au', randomBytes(400).toString('hex'));
  const rows = [
    textRow(1, 'Website', 'Note', 'Country'),
    textRow(2, 'acme.com.au', '', 'Österreich'),
    ...Array.from({ length: 3_000 }, (_, index) => filler(index + 3)),
  ].join('');
  writeFileSync(path, makeWorkbook({ sheets: [{ name: 'Leads', rows }] }));
  expect(statSync(path).size).toBeGreaterThan(1024 * 1024);

  const sample = await takeSample(path);
  expect(sample).toEqual(await sampleList(path));
  expect(sample).toMatchObject({ format: 'xlsx', headerLine: 1, isWhole: false });
  await expect(takeSample(path, { sheet: 'Lead' })).rejects.toThrow(
    await sampleList(path, { sheet: 'Lead' }).catch((error: Error) => error.message),
  );
});

test('a wide list is looked at in a thread, and just the same', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'wide.csv');
  const columns = Array.from({ length: 2_000 }, (_, at) => (at === 7 ? 'Website' : `c${at}`));
  const row = (number: number) =>
    columns.map((name) => (name === 'Website' ? `w${number}.com.au` : `${name} ${number}`));
  const rows = [columns, ...Array.from({ length: 10 }, (_, at) => row(at))];
  writeFileSync(path, rows.map((cells) => cells.join(',')).join('\n'));

  const sample = await takeSample(path);
  expect(await inspectSampled(sample)).toEqual(inspectSample(sample));
  const job = {
    input: { key: ['c3'] },
    identify: undefined,
    country: { column: undefined, default: 'AU' },
  } as const;
  const described = await describeSampled(job, sample);
  expect(described).toEqual(describeList(job, sample));
  expect(described.columns).toHaveLength(300);
});
