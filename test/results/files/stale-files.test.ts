import { createHash } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readManifest, removeStaleFiles } from '../../../src/results/export-folder.ts';
import type { ManifestFile } from '../../../src/results/manifest.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

test('a file that somebody has changed since stays', async () => {
  using folder = temporaryFolder();
  const people = write(folder.path, 'people.csv', 'csv');
  writeFileSync(join(folder.path, 'people.csv'), 'my notes');
  await removeStaleFiles(folder.path, [people], [], ['csv']);
  expect(existsSync(join(folder.path, 'people.csv'))).toBe(true);
});

test.each(['', 'no json', '{"files":[{"name":"../../precious.csv"}]}'])(
  'a manifest that holds %j names no files',
  async (text) => {
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, 'manifest.json'), text);
    expect(await readManifest(folder.path)).toBeUndefined();
  },
);

function write(folder: string, name: string, format: ManifestFile['format']): ManifestFile {
  const text = `content of ${name}`;
  writeFileSync(join(folder, name), text);
  const sha256 = createHash('sha256').update(text).digest('hex');
  return { name, table: 'people', format, rows: 1, bytes: text.length, sha256 };
}
