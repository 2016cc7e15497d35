import { createHash } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readManifest, removeStaleFiles } from '../../../src/results/export-folder.ts';
import type { ManifestFile } from '../../../src/results/manifest.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

test('a file that the last export wrote and this one does not is removed', async () => {
  using folder = temporaryFolder();
  const people = write(folder.path, 'people.csv', 'csv');
  await removeStaleFiles(folder.path, [people], [], ['csv']);
  expect(existsSync(join(folder.path, 'people.csv'))).toBe(false);
});

test('a file of a format that was not asked for this time stays', async () => {
  using folder = temporaryFolder();
  const parquet = write(folder.path, 'people.parquet', 'parquet');
  await removeStaleFiles(folder.path, [parquet], [], ['csv']);
  expect(existsSync(join(folder.path, 'people.parquet'))).toBe(true);
});

test('a file that somebody has changed since stays', async () => {
  using folder = temporaryFolder();
  const people = write(folder.path, 'people.csv', 'csv');
  writeFileSync(join(folder.path, 'people.csv'), 'my notes');
  await removeStaleFiles(folder.path, [people], [], ['csv']);
  expect(existsSync(join(folder.path, 'people.csv'))).toBe(true);
});

test('a file of this export stays, and one that is gone already is no trouble', async () => {
  using folder = temporaryFolder();
  const rejects = write(folder.path, 'rejects.csv', 'csv');
  const gone = { ...rejects, name: 'people.csv' };
  await removeStaleFiles(folder.path, [rejects, gone], [rejects], ['csv']);
  expect(existsSync(join(folder.path, 'rejects.csv'))).toBe(true);
});

test.each(['', 'no json', '{"files":[{"name":"../../precious.csv"}]}'])(
  'a manifest that holds %j names no files',
  async (text) => {
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, 'manifest.json'), text);
    expect(await readManifest(folder.path)).toBeUndefined();
  },
);

test('without a manifest nobody knows who wrote a file, so none is removed', async () => {
  using folder = temporaryFolder();
  write(folder.path, 'people.csv', 'csv');
  const { files = [] } = (await readManifest(folder.path)) ?? {};
  await removeStaleFiles(folder.path, files, [], ['csv']);
  expect(existsSync(join(folder.path, 'people.csv'))).toBe(true);
});

function write(folder: string, name: string, format: ManifestFile['format']): ManifestFile {
  const text = `content of ${name}`;
  writeFileSync(join(folder, name), text);
  const sha256 = createHash('sha256').update(text).digest('hex');
  return { name, table: 'people', format, rows: 1, bytes: text.length, sha256 };
}
