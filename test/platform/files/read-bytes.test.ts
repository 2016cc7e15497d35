import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readBytes } from '../../../src/platform/files/read-bytes.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const text = 'line one\nline two\n'.repeat(10_000);

test.each([
  ['plain', Buffer.from(text)],
  ['gzip', gzipSync(text)],
  ['zstd', zstdCompressSync(text)],
  ['gzip of two members', Buffer.concat([gzipSync(text.slice(0, 99)), gzipSync(text.slice(99))])],
])('reads %s, whatever the name says', async (_, content) => {
  expect(await readBack(content)).toBe(text);
});

test('a compressed file that is cut short is an error, not a short read', async () => {
  await expect(readBack(gzipSync(text).subarray(0, -20))).rejects.toMatchObject({
    code: 'INPUT_UNREADABLE',
  });
  await expect(readBack(zstdCompressSync(text).subarray(0, -5))).rejects.toMatchObject({
    code: 'INPUT_UNREADABLE',
  });
});

test('two zstd files in one are refused, because only the first could be read', async () => {
  const [one, two] = [text.slice(0, 99), text.slice(99)].map((part) => zstdCompressSync(part));
  const both = Buffer.concat([one ?? '', two ?? ''].map((part) => Buffer.from(part)));
  await expect(readBack(both)).rejects.toThrow(/several zstd files; unpack it with `zstd -d`/);
});

test('a named pipe is read to its end, whenever its writer comes', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'pipe');
  execFileSync('mkfifo', [path]);
  const opened = await readBytes(path);
  const reading = Array.fromAsync(opened.bytes);
  await writeFile(path, text);
  expect(Buffer.concat(await reading).toString('utf8')).toBe(text);
});

async function readBack(content: Buffer): Promise<string> {
  using folder = temporaryFolder();
  const path = join(folder.path, 'data');
  writeFileSync(path, content);
  const opened = await readBytes(path);
  const chunks = await Array.fromAsync(opened.bytes);
  expect(opened.sizeBytes).toBe(content.length);
  expect(opened.bytesRead()).toBe(content.length);
  return Buffer.concat(chunks).toString('utf8');
}
