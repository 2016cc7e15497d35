import { expect, test } from 'vitest';
import { z } from 'zod';
import { Manifest, ManifestFile } from '../../src/results/manifest.ts';

const file = {
  name: 'companies.csv',
  table: 'companies',
  format: 'csv',
  rows: 1,
  bytes: 2,
  sha256: 'a'.repeat(64),
};

test('every field of the manifest is described', () => {
  const { properties } = z.toJSONSchema(Manifest);
  const undescribed = Object.entries(flat(properties as Schemas)).filter(
    ([, { description }]) => !description,
  );
  expect(undescribed).toEqual([]);
});

test('a manifest may name the files of an export and nothing else on the disk', () => {
  for (const name of ['companies.csv', 'people.parquet', 'workbook.xlsx', 'changes.xlsx']) {
    expect(ManifestFile.safeParse({ ...file, name }).success).toBe(true);
  }
  const others = ['../companies.csv', '/etc/passwd', 'ledger.db', 'companies.csv.bak', ''];
  for (const name of [...others, 'companies.xlsx', 'workbook.csv', 'workbook.xlsx.gz']) {
    expect(ManifestFile.safeParse({ ...file, name }).success).toBe(false);
  }
});

type Schemas = Record<
  string,
  { description?: string; properties?: Schemas; items?: { properties?: Schemas } }
>;

function flat(schemas: Schemas): Schemas {
  return Object.fromEntries(
    Object.entries(schemas).flatMap(([key, schema]) => [
      [key, schema],
      ...Object.entries(flat(schema.properties ?? schema.items?.properties ?? {})).map(
        ([inner, value]) => [`${key}.${inner}`, value] as const,
      ),
    ]),
  );
}
