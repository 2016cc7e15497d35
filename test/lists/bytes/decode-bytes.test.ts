import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chooseEncoding, decodeBytes } from '../../../src/lists/bytes.ts';
import { guessProblem } from '../../../src/lists/input-row.ts';
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
  ['near the beginning', 3],
  ['far down the file', 60_000],
])(
  'beside letters of UTF-8, the error for a byte that UTF-8 does not allow names its line (%s)',
  async (_, line) => {
    const before = `name,site\n${'Café,café.com\n'.repeat(line - 2)}`;
    const content = Buffer.concat([Buffer.from(before), Buffer.from('Caf\xe9,x.com\n', 'latin1')]);
    await expect(readBack(content)).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      message: expect.stringMatching(
        new RegExp(
          `list\\.csv is not UTF-8: line ${line} has a byte .* with --encoding or input\\.encoding`,
        ),
      ),
    });
  },
);

test('a file that ends in the middle of a character is not UTF-8', async () => {
  await expect(readBack(Buffer.from('name,site\nCafé').subarray(0, -1))).rejects.toThrow(
    'is not UTF-8: line 2',
  );
});

test.each([
  ['at once', ''],
  ['after a megabyte of plain text', 'Acme,acme.com\n'.repeat(80_000)],
])('text that is no UTF-8 is read as windows-1252, and that is said (%s)', async (_, before) => {
  const lines = `name,site\n${before}Caf\xe9 \x80,cafe.com\nM\xfcller,mueller.de\n`;
  const { cells, notes } = await readBack(Buffer.from(lines, 'latin1'));
  expect(cells.slice(-2)).toEqual([
    ['Café €', 'cafe.com'],
    ['Müller', 'mueller.de'],
  ]);
  const line = before.split('\n').length + 1;
  expect(notes).toEqual([
    expect.stringMatching(
      `is not UTF-8 \\(line ${line}\\) and is read as windows-1252; --encoding`,
    ),
  ]);
});

test.each([
  ['UTF-8 further down', 'name,site\nCaf\xe9,a.com\nCaf\xc3\xa9,b.com\n'],
  ['a byte that stands for nothing', 'name,site\n\x83\x81,a.com\n'],
])('text that is no UTF-8 with %s is refused with the line', async (_, lines) => {
  await expect(readBack(Buffer.from(lines, 'latin1'))).rejects.toMatchObject({
    code: 'INPUT_INVALID',
    message: expect.stringContaining('is not UTF-8: line 2'),
  });
});

test('nothing is guessed where the encoding is set', async () => {
  const content = Buffer.from('name\nCaf\xe9\n', 'latin1');
  await expect(readBack(content, { encoding: 'utf-8' })).rejects.toThrow('is not UTF-8: line 2');
  const { notes } = await readBack(content, { encoding: 'windows-1252' });
  expect(notes).toEqual([]);
});

test('a file that is not in the encoding that is set is refused', async () => {
  const loneSurrogate = Buffer.concat([Buffer.from('a,b\n', 'utf16le'), Buffer.from([0, 0xdc])]);
  await expect(readBack(loneSurrogate, { encoding: 'utf-16le' })).rejects.toThrow(
    /is not utf-16le: .* Set --encoding or input\.encoding to what the file was saved in/,
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

test('where the chunks are cut makes no difference to windows-1252', async () => {
  const letter = fc.constantFrom(0x41, 0x0a, 0xe9, 0xc9, 0xbb, 0x92, 0xa0);
  const decode = async (bytes: Buffer, size: number) => {
    const decoded = decodeBytes(cut(bytes, size), chooseEncoding(bytes), 'list.csv', () => {});
    return await Array.fromAsync(decoded, (chunk) => chunk.toString('utf8')).then(
      (texts) => texts.join(''),
      (error: Error) => error.message,
    );
  };
  await fc.assert(
    fc.asyncProperty(
      fc.array(letter, { minLength: 1 }),
      fc.integer({ min: 1, max: 5 }),
      async (letters, size) => {
        const bytes = Buffer.from(letters);
        expect(await decode(bytes, size)).toBe(await decode(bytes, 1_000));
      },
    ),
  );
});

test.each([
  ['acme.com/\u00fcber-uns', 'fqdn', false],
  ['J\u00fcrgen <j@acme.com>', 'auto', false],
  ['Caf\u00e9', 'auto', false],
  ['m\u00fcller.de', 'fqdn', true],
  ['linkedin.com/company/m\u00fcller', 'ln_url', true],
] as const)('in a guessed encoding %s as %s is doubtful: %s', (cell, as, isDoubtful) => {
  const problem = guessProblem({ line: 2, cells: [cell] }, [{ index: 0, as }], 'windows-1252');
  expect(problem !== undefined).toBe(isDoubtful);
});
