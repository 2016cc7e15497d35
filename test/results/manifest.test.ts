import { expect, test } from 'vitest';
import { ManifestFile } from '../../src/results/manifest.ts';

const file = {
  name: 'companies.csv',
  table: 'companies',
  format: 'csv',
  rows: 1,
  bytes: 2,
  sha256: 'a'.repeat(64),
};

test('a manifest may name the files of an export and nothing else on the disk', () => {
  for (const name of ['companies.csv', 'people.parquet', 'workbook.xlsx', 'changes.xlsx']) {
    expect(ManifestFile.safeParse({ ...file, name }).success).toBe(true);
  }
  const others = ['../companies.csv', '/etc/passwd', 'ledger.db', 'companies.csv.bak', ''];
  for (const name of [...others, 'companies.xlsx', 'workbook.csv', 'workbook.xlsx.gz']) {
    expect(ManifestFile.safeParse({ ...file, name }).success).toBe(false);
  }
});
