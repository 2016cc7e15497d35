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

test('blank lines are skipped and still counted as lines', async () => {
  const { rows } = await readBack('\n  \nname,site\n\n   \nAcme,acme.com\n\n');
  expect(rows).toEqual([{ number: 1, line: 6, cells: ['Acme', 'acme.com'] }]);
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
    ['1', '2', '3,x, y'],
    ['4', '5'],
  ]);
  expect(problems).toEqual([undefined, 'line 3 has 4 cells instead of 2', undefined]);
});

test('a list without a header is as wide as its widest record', async () => {
  const { columns, problems } = await readBack('acme.com,AU\nfoo.com,NZ,lead\nbar.org,AU\n');
  expect(columns).toEqual(['column_1', 'column_2', 'column_3']);
  expect(problems).toEqual([undefined, undefined, undefined]);
});

test('zero bytes far down the file are a problem of their row only', async () => {
  const before = 'Acme,acme.com\n'.repeat(20_000);
  const { rows } = await readBack(`name,site\n${before}Fo\0o,foo.com\nBar,bar.com\n`);
  expect(rows).toHaveLength(20_002);
  expect(rows.filter((row) => row.problem)).toMatchObject([
    { number: 20_001, problem: 'line 20002 contains a NUL byte' },
  ]);
});
