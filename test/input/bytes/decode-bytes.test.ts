import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chooseEncoding, decodeBytes } from '../../../src/input/bytes/decode-bytes.ts';
import { readBack } from '../../support/read-back.ts';

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

test.each([
  ['utf-16le', Buffer.from(text, 'utf16le')],
  ['utf-16be', Buffer.from(text, 'utf16le').swap16()],
  ['UTF8', Buffer.from(text)],
])('reads %s when it is set', async (encoding, content) => {
  expect((await readBack(content, { encoding })).cells).toEqual(expected);
});

test.each(['windows-1252', 'latin1', 'ISO-8859-1'])(
  'reads %s with its euro sign',
  async (label) => {
    const content = Buffer.from('name,site\nCaf\xe9 \x80 \x93x\x94,cafe.com\n', 'latin1');
    expect((await readBack(content, { encoding: label })).cells).toEqual([
      ['Café € “x”', 'cafe.com'],
    ]);
  },
);

test('a byte order mark overrules the encoding that is set', async () => {
  const { cells } = await readBack(`\ufeff${text}`, { encoding: 'windows-1252' });
  expect(cells).toEqual(expected);
});

test('JSON lines are decoded like CSV', async () => {
  const content = Buffer.from('\ufeff{"name":"Café"}\r\n', 'utf16le');
  const { columns, cells } = await readBack(content, { fileName: 'list.jsonl' });
  expect({ columns, cells }).toEqual({ columns: ['name'], cells: [['Café']] });
});

test.each([
  ['near the beginning', 2],
  ['far down the file', 60_000],
])('the error for a byte that UTF-8 does not allow names its line (%s)', async (_, line) => {
  const before = `name,site\n${'Café,café.com\n'.repeat(line - 2)}`;
  const content = Buffer.concat([Buffer.from(before), Buffer.from('Caf\xe9,x.com\n', 'latin1')]);
  await expect(readBack(content)).rejects.toMatchObject({
    code: 'INPUT_INVALID',
    message: expect.stringMatching(
      new RegExp(`list\\.csv is not UTF-8: line ${line} has a byte .* \`encoding: windows-1252\``),
    ),
  });
});

test('a file that ends in the middle of a character is not UTF-8', async () => {
  await expect(readBack(Buffer.from('name,site\nCafé').subarray(0, -1))).rejects.toThrow(
    'is not UTF-8: line 2',
  );
});

test('a file that is not in the encoding that is set is refused', async () => {
  const loneSurrogate = Buffer.concat([Buffer.from('a,b\n', 'utf16le'), Buffer.from([0, 0xdc])]);
  await expect(readBack(loneSurrogate, { encoding: 'utf-16le' })).rejects.toThrow(
    /is not utf-16le: .* Set `encoding` to what the file was saved in/,
  );
});

test('an unknown encoding is refused', async () => {
  await expect(readBack(text, { encoding: 'klingon' })).rejects.toThrow(
    '"klingon" is not an encoding; known are utf-8, windows-1252',
  );
});

test('where the chunks are cut makes no difference', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: 'binary' }).map((given) => given.toWellFormed()),
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
  );
});

async function* cut(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
