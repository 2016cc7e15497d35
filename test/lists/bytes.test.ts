import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chooseEncoding, decodeBytes } from '../../src/lists/bytes.ts';
import { guessProblem } from '../../src/lists/input-row.ts';
import { anyText } from '../support/any-text.ts';
import { readBack } from '../support/read-back.ts';

const text = 'name,site\nCafé “株” €,café.com\n';
const expected = [['Café “株” €', 'café.com']];

test.each([
  ['UTF-8', Buffer.from(text)],
  ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${text}`)],
  ['UTF-16LE with a byte order mark', Buffer.from(`\ufeff${text}`, 'utf16le')],
  ['UTF-16BE with a byte order mark', Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
])('detects %s', async (_, content) => {
  const { columns, cells } = await readBack(content);
  expect(columns).toEqual(['name', 'site']);
  expect(cells).toEqual(expected);
});

test('a byte order mark overrules the encoding that is set', async () => {
  const { cells } = await readBack(`\ufeff${text}`, { encoding: 'windows-1252' });
  expect(cells).toEqual(expected);
});

test.each([
  ['at once', ''],
  ['after much plain text', 'Acme,acme.com\n'.repeat(20_000)],
])('text that is not UTF-8 is read as windows-1252, with a note (%s)', async (_, before) => {
  const lines = `name,site\n${before}Caf\xe9 \x80,cafe.com\nM\xfcller,mueller.de\n`;
  const { cells, notes } = await readBack(Buffer.from(lines, 'latin1'));
  expect(cells.slice(-2)).toEqual([
    ['Café €', 'cafe.com'],
    ['Müller', 'mueller.de'],
  ]);
  const line = before.split('\n').length + 1;
  expect(notes).toEqual([
    expect.stringMatching(
      `is not UTF-8 \\(line ${line}\\), so it is read as windows-1252, as Excel`,
    ),
  ]);
});

test('nothing is guessed if the encoding is set', async () => {
  const content = Buffer.from('name\nCaf\xe9\n', 'latin1');
  await expect(readBack(content, { encoding: 'utf-8' })).rejects.toThrow('is not UTF-8: line 2');
  const { notes } = await readBack(content, { encoding: 'windows-1252' });
  expect(notes).toEqual([]);
});

test('chunk borders make no difference', async () => {
  await fc.assert(
    fc.asyncProperty(
      anyText(),
      fc.constantFrom('utf-8', 'utf-16le'),
      fc.integer({ min: 1, max: 5 }),
      async (given, encoding, size) => {
        // The text gets a byte order mark below; a second one of its own is not compared.
        fc.pre(!given.startsWith('\ufeff'));
        const bytes = Buffer.from(`\ufeff${given}`, encoding === 'utf-8' ? 'utf8' : 'utf16le');
        const chunks = decodeBytes(cut(bytes, size), chooseEncoding(bytes), 'list.csv');
        const texts: string[] = [];
        for await (const chunk of chunks) texts.push(chunk.toString('utf8'));
        expect(texts.join('')).toBe(given);
      },
    ),
    { numRuns: 20 },
  );
});

async function* cut(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

test.each([
  ['acme.com/\u00fcber-uns', 'fqdn', false],
  ['Caf\u00e9', 'auto', false],
  ['m\u00fcller.de', 'fqdn', true],
  ['linkedin.com/company/m\u00fcller', 'ln_url', true],
  ['57\xa0961 \xa0803\xa0396', 'abn', false],
  ['acme\xa0b.com.au', 'auto', true],
] as const)('in a guessed encoding %s as %s is rejected: %s', (cell, as, isUnsure) => {
  const problem = guessProblem({ line: 2, cells: [cell] }, [{ index: 0, as }], 'windows-1252');
  expect(problem !== undefined).toBe(isUnsure);
});
