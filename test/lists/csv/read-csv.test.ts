import { expect, test } from 'vitest';
import { readBack } from '../../support/read-back.ts';

test.each([
  ['LF', '\n'],
  ['CRLF', '\r\n'],
  ['lone CR', '\r'],
])('lines may end in %s, and the last line may lack its end', async (_, end) => {
  const { columns, rows } = await readBack(
    ['name,site', 'Acme,acme.com', '', 'Foo,foo.com'].join(end),
  );
  expect(columns).toEqual(['name', 'site']);
  expect(rows).toEqual([
    { number: 1, line: 2, cells: ['Acme', 'acme.com'] },
    { number: 2, line: 4, cells: ['Foo', 'foo.com'] },
  ]);
});

test('line ends and doubled quotes inside quotes belong to the cell', async () => {
  const { rows } = await readBack('name,site\n"Acme\r\n""Best""\nLtd",acme.com\nFoo,foo.com\n');
  expect(rows).toEqual([
    { number: 1, line: 2, cells: ['Acme\r\n"Best"\nLtd', 'acme.com'] },
    { number: 2, line: 5, cells: ['Foo', 'foo.com'] },
  ]);
});

test('records may end in lone CR while cells hold LF', async () => {
  const { rows } = await readBack('name,site\r"Acme\nLtd",acme.com\rFoo,foo.com\r');
  expect(rows).toEqual([
    { number: 1, line: 2, cells: ['Acme\nLtd', 'acme.com'] },
    { number: 2, line: 3, cells: ['Foo', 'foo.com'] },
  ]);
});

test('blank lines are skipped and still counted as lines', async () => {
  const { rows } = await readBack('\n  \nname,site\n\n   \nAcme,acme.com\n\n');
  expect(rows).toEqual([{ number: 1, line: 6, cells: ['Acme', 'acme.com'] }]);
});

test('a row of empty cells is a row, in a file of tabs too', async () => {
  const { cells } = await readBack('name\tsite\n\t\nAcme\tacme.com\n');
  expect(cells).toEqual([
    ['', ''],
    ['Acme', 'acme.com'],
  ]);
});

test('a row with too few cells lacks the rest', async () => {
  const { cells, problems } = await readBack('a,b,c\n1\n1,2\n');
  expect(cells).toEqual([
    ['1', undefined, undefined],
    ['1', '2', undefined],
  ]);
  expect(problems).toEqual([undefined, undefined]);
});

test('a row with too many cells is a problem that keeps them, unless the surplus is empty', async () => {
  const { columns, cells, problems } = await readBack('a,b\n1,2,, \n1,2,3,"x, y"\n4,5\n');
  expect(columns).toEqual(['a', 'b', 'extra_cells']);
  expect(cells).toEqual([
    ['1', '2'],
    ['1', '2', '3,"x, y"'],
    ['4', '5'],
  ]);
  expect(problems).toEqual([undefined, 'line 3 has 4 cells instead of 2', undefined]);
});

test('a file that has only column names has no rows', async () => {
  expect(await readBack('name,site\n')).toMatchObject({ columns: ['name', 'site'], rows: [] });
});

test.each([
  ['no bytes', ''],
  ['a byte order mark', '\ufeff'],
  ['blank lines', '\n\r\n  \n'],
  ["Excel's first line", 'sep=;\n'],
])('a file of nothing but %s is refused as empty', async (_, content) => {
  await expect(readBack(content)).rejects.toMatchObject({
    code: 'INPUT_INVALID',
    message: expect.stringMatching(/list\.csv is empty: it needs a line of column names/),
  });
});

test('the first domain of a list without a header is its first row', async () => {
  const { columns, hasHeader, cells } = await readBack('acme.com.au\nfoo.com\nbar.org\n');
  expect({ columns, hasHeader }).toEqual({ columns: ['column_1'], hasHeader: false });
  expect(cells).toEqual([['acme.com.au'], ['foo.com'], ['bar.org']]);
});

test('a list without a header is as wide as its widest record', async () => {
  const { columns, problems } = await readBack('acme.com,AU\nfoo.com,NZ,lead\nbar.org,AU\n');
  expect(columns).toEqual(['column_1', 'column_2', 'column_3']);
  expect(problems).toEqual([undefined, undefined, undefined]);
});

test('the job can say whether there is a header', async () => {
  const forced = await readBack('acme.com\nfoo.com\n', { header: true });
  expect(forced).toMatchObject({ columns: ['acme.com'], hasHeader: true, cells: [['foo.com']] });
  const refused = await readBack('website\nfoo.com\n', { header: false });
  expect(refused).toMatchObject({ hasHeader: false, cells: [['website'], ['foo.com']] });
});

test('ten thousand columns are read', async () => {
  const names = Array.from({ length: 10_000 }, (_, index) => `name of column ${index}`);
  const values = names.map((_, index) => String(index));
  const { columns, cells } = await readBack(`${names.join(';')}\n${values.join(';')}\n`);
  expect(columns).toEqual(names);
  expect(cells).toEqual([values]);
});

test('zero bytes far down the file are a problem of their row only', async () => {
  const before = 'Acme,acme.com\n'.repeat(30_000);
  const { rows } = await readBack(`name,site\n${before}Fo\0o,foo.com\nBar,bar.com\n`);
  expect(rows).toHaveLength(30_002);
  expect(rows.filter((row) => row.problem)).toMatchObject([
    { number: 30_001, problem: 'line 30002 holds zero bytes' },
  ]);
});

test('a header that cannot be read is refused with its line', async () => {
  await expect(readBack(`\n${'x'.repeat(200)},b\n1,2\n`, { maxRecordLength: 100 })).rejects.toThrow(
    /list\.csv, line 2: the column names cannot be read, for the record in line 2 is longer/,
  );
});
