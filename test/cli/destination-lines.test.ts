import { expect, test } from 'vitest';
import { fileText } from '../../src/cli/run/run-texts.ts';
import type { ManifestFile } from '../../src/results/manifest.ts';

const csv: ManifestFile = {
  ...{ name: 'companies.csv', table: 'companies', format: 'csv' },
  ...{ rows: 1_204, bytes: 2, sha256: 'a'.repeat(64) },
};
const sheets = [
  { name: 'Companies', rows: 1_204 },
  { name: 'Rejects', rows: 1 },
];
const workbook: ManifestFile = { ...csv, name: 'workbook.xlsx', table: 'workbook', sheets };

test('a file is told by its records, a workbook by those of each sheet', () => {
  expect(fileText(csv, [])).toBe('1,204 records');
  expect(fileText(csv, ['companies.csv'])).toBe('1,204 records, unchanged');
  expect(fileText(workbook, [])).toBe('Companies 1,204, Rejects 1');
});

test('cells that a workbook had no room for are told', () => {
  expect(fileText({ ...workbook, cutCells: 1 }, ['workbook.xlsx'])).toBe(
    'Companies 1,204, Rejects 1, unchanged; 1 cell cut at 32,767 characters (CSV has all)',
  );
});
