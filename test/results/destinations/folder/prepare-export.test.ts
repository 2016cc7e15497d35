import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { noChanges } from '../../../../src/results/compare-runs.ts';
import { prepareExport } from '../../../../src/results/destinations/folder/prepare-export.ts';
import { Manifest } from '../../../../src/results/manifest.ts';
import type { ReportText } from '../../../../src/results/sink.ts';
import { matchedRow, rejectedRow } from '../../../core/columns/sample-records.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { exportInto, exportRun } from '../../export-run.ts';
import { queryParquet } from '../../read-parquet.ts';
import { peopleOf, sampleFacts, sourceOf } from '../../sample-run.ts';

const rows = [
  matchedRow(1),
  rejectedRow(2, { cells: ['Nobody', '=1+1'] }),
  rejectedRow(3, { status: 'invalid', reason: 'blank', cells: ['', null] }),
  matchedRow(4, { company: { id: 'c_2', new_field: 1 } }),
  rejectedRow(5, { status: 'failed', reason: 'timeout' }),
];
const into = (folder: string) => exportInto(folder, ['csv', 'jsonl', 'parquet']);
const people = [peopleOf('c_000123', [{ person_id: 'p1' }])];

test('companies, people, rejects and changes come in every format, and the manifest is true of them', async () => {
  using folder = temporaryFolder();
  const summary = await exportRun(sourceOf(rows, people), into(folder.path));

  expect(readdirSync(folder.path).sort()).toEqual([
    'changes.csv',
    'changes.jsonl',
    'changes.parquet',
    'companies.csv',
    'companies.jsonl',
    'companies.parquet',
    'manifest.json',
    'people.csv',
    'people.jsonl',
    'people.parquet',
    'rejects.csv',
    'rejects.jsonl',
    'rejects.parquet',
  ]);
  expect(summary).toMatchObject({
    rows: {
      total: 5,
      matched: 2,
      not_found: 1,
      invalid: 1,
      failed: 1,
      suppressed: 0,
      open: 0,
      stale: 0,
    },
    people: 1,
    changes: { since: null, ...noChanges() },
  });
  const csv = csvOf(folder.path, 'companies.csv');
  const jsonl = linesOf(folder.path, 'companies.jsonl');
  const parquet = await queryParquet(
    join(folder.path, 'companies.parquet'),
    'row_number, company_id',
  );
  expect(csv.map(({ row_number }) => row_number)).toEqual(['1', '2', '3', '4', '5']);
  expect(jsonl.map(({ row_number }) => row_number)).toEqual([1, 2, 3, 4, 5]);
  expect(parquet.rows.map(([row]) => row)).toEqual([1n, 2n, 3n, 4n, 5n]);
  expect(csv[3]).toMatchObject({ company_id: 'c_2', company_extra: '{"new_field":1}' });
  expect(linesOf(folder.path, 'people.jsonl')).toMatchObject([
    { person_id: 'p1', row_numbers: [1], row_keys: ['crm-1'] },
  ]);
  const [header, ...rejects] = read(folder.path, 'rejects.csv').toString().split('\n');
  expect(header).toBe(
    'Company Name,ABN,row_number,row_key,status,reason,message,stale,changed_at,looked_up,suggestions',
  );
  expect(rejects[0]).toBe(
    'Nobody,=1+1,2,crm-2,not_found,not_found,The service does not know this company.,false,2026-08-22T05:00:00.000Z,,',
  );
  expect(rejects).toHaveLength(4);

  const manifest = Manifest.parse(JSON.parse(read(folder.path, 'manifest.json').toString()));
  const { files } = summary;
  expect(manifest).toMatchObject({ ...sampleFacts, files });
  for (const { name, bytes, sha256, crc32: sum } of files) {
    expect(read(folder.path, name)).toHaveLength(bytes);
    expect(Number(`0x${sum}`)).toBe(crc32(read(folder.path, name)));
    expect(sha256).toBe(createHash('sha256').update(read(folder.path, name)).digest('hex'));
  }
  const counted = Object.fromEntries(files.map(({ name, rows }) => [name, rows]));
  expect(counted).toMatchObject({ 'companies.csv': 5, 'rejects.jsonl': 3, 'people.parquet': 1 });
});

test('an empty run gives files with headers and no records', async () => {
  using folder = temporaryFolder();
  const empty = await exportRun(sourceOf([], []), into(folder.path));
  expect(empty).toMatchObject({ rows: { total: 0 }, people: 0 });
  expect(csvOf(folder.path, 'companies.csv')).toEqual([]);
  expect(read(folder.path, 'companies.csv').toString()).toMatch(/^row_number,row_key,status,/);
  expect(linesOf(folder.path, 'people.jsonl')).toEqual([]);
  expect((await queryParquet(join(folder.path, 'rejects.parquet'))).rows).toEqual([]);
});

test('the report is given the facts of the files, and appears with them', async () => {
  using folder = temporaryFolder();
  const seen: Record<string, unknown> = {};
  const report: ReportText = ({ rows: counted, files }, tally) => {
    seen.companies = tally.company.companies;
    seen.prepared = [counted.total, files.map(({ name }) => name), namesIn(folder.path)];
    return '<p>report</p>';
  };
  await exportRun(sourceOf(rows), {
    ...exportInto(folder.path, ['csv']),
    createReport: () => report,
  });
  expect(seen).toEqual({
    companies: 2,
    prepared: [5, ['companies.csv', 'rejects.csv', 'changes.csv'], []],
  });
  expect(namesIn(folder.path)).toEqual([
    'changes.csv',
    'companies.csv',
    'manifest.json',
    'rejects.csv',
    'report.html',
  ]);
});

test('people.csv goes when the job no longer searches people; changed files and other formats stay', async () => {
  using folder = temporaryFolder();
  await exportRun(sourceOf(rows, people), into(folder.path));
  writeFileSync(join(folder.path, 'people.jsonl'), 'my notes');
  await exportRun(sourceOf(rows), exportInto(folder.path, ['csv', 'jsonl']));
  const names = readdirSync(folder.path);
  expect(names).toEqual(
    expect.arrayContaining(['companies.csv', 'people.parquet', 'people.jsonl']),
  );
  expect(names).not.toContain('people.csv');
});

test('a prepared export is invisible until its commit, and locks its folder', async () => {
  using folder = temporaryFolder();
  const prepared = await prepareExport(sourceOf(rows), into(folder.path));
  expect(namesIn(folder.path)).toEqual([]);
  await expect(
    prepareExport(sourceOf(rows), { ...into(folder.path), signal: AbortSignal.abort('waited') }),
  ).rejects.toBe('waited');
  await prepared.abort();
  expect(readdirSync(folder.path)).toEqual([]);

  const again = await prepareExport(sourceOf(rows), into(folder.path));
  expect((await again.commit()).rows.total).toBe(5);
  const shown = snapshot(folder.path);
  await again.abort();
  expect(snapshot(folder.path)).toEqual(shown);
});

test('a folder with the name of a file is reported, and nothing is published', async () => {
  using folder = temporaryFolder();
  mkdirSync(join(folder.path, 'rejects.parquet'));
  await expect(exportRun(sourceOf(rows), into(folder.path))).rejects.toMatchObject({
    code: 'OUTPUT_TROUBLE',
  });
  expect(readdirSync(folder.path)).toEqual(['rejects.parquet']);
});

/** Without temporary files. */
function namesIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => !name.startsWith('.'))
    .sort();
}

function read(folder: string, name: string): Buffer {
  return readFileSync(join(folder, name));
}

function csvOf(folder: string, name: string): Record<string, string>[] {
  return parse(read(folder, name), { columns: true });
}

function linesOf(folder: string, name: string): Record<string, unknown>[] {
  const lines = read(folder, name).toString().split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line));
}

function snapshot(folder: string): Record<string, [string, number]> {
  const names = readdirSync(folder).sort();
  return Object.fromEntries(
    names.map((name) => [
      name,
      [read(folder, name).toString('base64'), statSync(join(folder, name)).mtimeMs],
    ]),
  );
}
