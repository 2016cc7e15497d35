import { randomBytes } from 'node:crypto';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sampleList } from '../../../../src/facts/lists.ts';
import { takeSample } from '../../../../src/ui/workbench/lists/look-at-list.ts';
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
