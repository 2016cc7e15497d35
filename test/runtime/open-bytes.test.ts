import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { openBytes } from '../../src/runtime/open-bytes.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const text = 'line one\nline two\n'.repeat(10_000);

test.each([
  ['plain', Buffer.from(text)],
  ['gzip', gzipSync(text)],
  ['zstd', zstdCompressSync(text)],
  ['gzip of two members', Buffer.concat([gzipSync(text.slice(0, 99)), gzipSync(text.slice(99))])],
  [
    'zstd of two frames',
    Buffer.concat([zstdCompressSync(text.slice(0, 99)), zstdCompressSync(text.slice(99))]),
  ],
])('reads %s, whatever the name says', async (_, content) => {
  expect(await readBack(content)).toBe(text);
});

test('an empty file has no bytes', async () => {
  expect(await readBack(Buffer.alloc(0))).toBe('');
});

test('a compressed file that is cut short is an error, not a short read', async () => {
  await expect(readBack(gzipSync(text).subarray(0, -20))).rejects.toMatchObject({
    code: 'INPUT_UNREADABLE',
  });
  await expect(readBack(zstdCompressSync(text).subarray(0, -5))).rejects.toMatchObject({
    code: 'INPUT_UNREADABLE',
  });
});

test('a missing file and a folder are told by name', async () => {
  using folder = temporaryFolder();
  const missing = join(folder.path, 'none.csv');
  await expect(openBytes(missing)).rejects.toThrow(`${missing} does not exist`);
  await expect(openBytes(folder.path)).rejects.toThrow('is a folder');
});

async function readBack(content: Buffer): Promise<string> {
  using folder = temporaryFolder();
  const path = join(folder.path, 'data');
  writeFileSync(path, content);
  const opened = await openBytes(path);
  const chunks = await Array.fromAsync(opened.bytes);
  expect(opened.sizeBytes).toBe(content.length);
  expect(opened.bytesRead()).toBe(content.length);
  return Buffer.concat(chunks).toString('utf8');
}
