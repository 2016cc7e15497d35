import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { openInput } from '../../src/lists/open-input.ts';
import { isOnPath, testIf } from '../support/needs.ts';
import { readBack } from '../support/read-back.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const csv = 'name,site\nAcme,acme.com\n';
const jsonl = '{"name":"Acme","site":"acme.com"}\n';

test.each([
  ['list.csv', csv, 'csv'],
  ['list.TSV', 'name\tsite\nAcme\tacme.com\n', 'csv'],
  ['list.jsonl', jsonl, 'jsonl'],
  ['list.csv.gz', gzipSync(csv), 'csv'],
  ['list.jsonl.zst', zstdCompressSync(jsonl), 'jsonl'],
  ['list', csv, 'csv'],
  ['list.export', `\n ${jsonl}`, 'jsonl'],
])('the format of %s is detected', async (fileName, content, format) => {
  using folder = temporaryFolder();
  const path = join(folder.path, fileName);
  writeFileSync(path, content);
  const input = await openInput(path);
  expect(input).toMatchObject({ name: path, format, columns: ['name', 'site'] });
  expect((await Array.fromAsync(input.rows)).map((row) => row.cells)).toEqual([
    ['Acme', 'acme.com'],
  ]);
  expect(input.sizeBytes).toBe(Buffer.byteLength(content));
  expect(input.bytesRead()).toBe(input.sizeBytes);
});

testIf(existsSync('/proc/self/fd'), '/proc/self/fd is not here')(
  'the file is closed when the loop is left early, and when it cannot be read',
  async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'list.csv');
    const long = `${csv}${'Foo,foo.com\n'.repeat(100_000)}`;
    writeFileSync(path, gzipSync(long, { level: 0 }));
    for await (const row of (await openInput(path)).rows) {
      if (row.number === 1) expect(listOpenFiles()).toContain(path);
      if (row.number === 3) break;
    }
    // Node closes files in the background.
    await expect.poll(listOpenFiles).not.toContain(path);
    writeFileSync(path, `PK\x03\x04${long}`);
    await expect(openInput(path)).rejects.toThrow('Excel workbook');
    await expect.poll(listOpenFiles).not.toContain(path);
  },
);

describe('standard input', () => {
  test('is read, its format detected from the first character', () => {
    const options = { input: gzipSync(csv), encoding: 'utf8' } as const;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', reader], options);
    expect(stdout).toBe('standard input csv ["name","site"] [["Acme","acme.com"]]');
  });

  // The `script` of macOS and the BSDs takes other arguments.
  const hasScript = isOnPath('script') && process.platform === 'linux';
  testIf(hasScript, 'there is no `script` of util-linux')(
    'is not waited for when it is a terminal',
    () => {
      const command = `'${process.execPath}' --input-type=module -e "${reader.replaceAll('"', '\\"')}"`;
      const { stdout } = spawnSync('script', ['-qec', command, '/dev/null'], { encoding: 'utf8' });
      expect(stdout).toContain('standard input is a terminal, so there is no list to read');
    },
  );
});

const reader = `
  const { openInput } = await import('./src/lists/open-input.ts');
  try {
    const { name, format, columns, rows } = await openInput('-');
    const cells = (await Array.fromAsync(rows)).map((row) => row.cells);
    process.stdout.write([name, format, JSON.stringify(columns), JSON.stringify(cells)].join(' '));
  } catch (error) {
    process.stdout.write(error.message);
  }`;

function listOpenFiles(): string[] {
  return readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      return [readlinkSync(join('/proc/self/fd', descriptor))];
    } catch {
      // The descriptor that listed this folder is closed again.
      return [];
    }
  });
}

test('a list whose first row is data says so, unless the job knows that it has no header', async () => {
  const list = 'acme.com\nbeta.com\n';
  const { notes } = await readBack(list);
  expect(notes).toEqual([expect.stringContaining('the first row looks like data')]);
  expect((await readBack(list, { header: false })).notes).toEqual([]);
  expect((await readBack('website\nacme.com\n')).notes).toEqual([]);
});
