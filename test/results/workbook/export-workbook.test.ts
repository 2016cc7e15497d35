import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ExportOptions } from '../../../src/results/destinations/folder/prepare-export.ts';
import { Manifest } from '../../../src/results/manifest.ts';
import { matchedRow, rejectedRow } from '../../core/columns/sample-records.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { exportInto, exportRun } from '../export-run.ts';
import { peopleOf, sourceOf } from '../sample-run.ts';
import { sheetsOf } from './made-workbook.ts';

const rows = [
  matchedRow(1, { cells: ['007', '11-50'] }),
  rejectedRow(2, { cells: ['Nobody', '=1+1'] }),
  rejectedRow(3, { status: 'invalid', reason: 'blank', cells: ['', '2020-01-31'] }),
];
const people = [peopleOf('c_000123', [{ person_id: 'p1' }])];
const into = (folder: string) => exportInto(folder, ['xlsx']);

test('companies, people and rejects are the sheets of one workbook, changes another file', async () => {
  using folder = temporaryFolder();
  const { files } = await exportRun(sourceOf(rows, people), into(folder.path));
  expect(readdirSync(folder.path).sort()).toEqual([
    'changes.xlsx',
    'manifest.json',
    'workbook.xlsx',
  ]);
  const manifest = Manifest.parse(JSON.parse(textOf(folder.path, 'manifest.json')));
  expect(manifest.files).toEqual(files);
  expect(manifest.files[0]).toMatchObject({
    name: 'workbook.xlsx',
    table: 'workbook',
    format: 'xlsx',
    rows: 6,
    sheets: [
      { name: 'Companies', rows: 3 },
      { name: 'People', rows: 1 },
      { name: 'Rejects', rows: 2 },
    ],
    sha256: createHash('sha256').update(bytesOf(folder.path, 'workbook.xlsx')).digest('hex'),
  });
  const { Companies = [], People = [], Rejects = [] } = await workbookOf(folder.path);
  expect(Companies[0]?.slice(0, 4)).toEqual(['Company Name', 'ABN', 'row_number', 'row_key']);
  expect(Companies.map((cells) => cells.slice(0, 3)).slice(1)).toEqual([
    ['007', '11-50', 1],
    ['Nobody', '=1+1', 2],
    [null, '2020-01-31', 3],
  ]);
  const person = Object.fromEntries((People[0] ?? []).map((name, at) => [name, People[1]?.[at]]));
  expect(person).toMatchObject({
    person_id: 'p1',
    seniority: '3',
    seniority_name: 'C-Suite',
    stale: false,
    fetched_at: new Date('2026-08-22T04:20:00.000Z'),
  });
  expect(Rejects[1]?.slice(0, 2)).toEqual(['Nobody', '=1+1']);
});

test('without people searches the workbook has no people sheet; order and columns apply', async () => {
  using folder = temporaryFolder();
  const columns = ['company_name', 'row_key', 'input_abn'];
  const options: ExportOptions = { ...into(folder.path), columns, order: 'result-first' };
  await exportRun(sourceOf(rows), { ...options, formats: ['xlsx', 'csv', 'jsonl'] });
  const sheets = await workbookOf(folder.path);
  expect(Object.keys(sheets)).toEqual(['Companies', 'Rejects']);
  expect(sheets.Companies?.[0]).toEqual(columns);
  expect(textOf(folder.path, 'companies.csv').split('\n')[0]).toBe(columns.join(','));
  const [first = ''] = textOf(folder.path, 'companies.jsonl').split('\n');
  expect(Object.keys(JSON.parse(first))).toEqual(columns);
});

function bytesOf(folder: string, name: string): Buffer {
  return readFileSync(join(folder, name));
}

function textOf(folder: string, name: string): string {
  return bytesOf(folder, name).toString();
}

function workbookOf(folder: string) {
  return sheetsOf(bytesOf(folder, 'workbook.xlsx'));
}
