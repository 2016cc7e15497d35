import { expect, test } from 'vitest';
import { readBack } from './read-back.ts';

test.each([
  ['LF', '\n'],
  ['CRLF', '\r\n'],
  ['lone CR', '\r'],
])('lines may end in %s, and the last needs no end', async (_, end) => {
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

test('a row with too few cells lacks the rest', async () => {
  const { rows } = await readBack('a,b,c\n1\n1,2\n');
  expect(rows.map((row) => row.cells)).toEqual([
    ['1', undefined, undefined],
    ['1', '2', undefined],
  ]);
  expect(rows.every((row) => row.problem === undefined)).toBe(true);
});

test('a row with too many cells is a problem unless the surplus is empty', async () => {
  const { cells, problems } = await readBack('a,b\n1,2,,\n1,2,3\n4,5\n');
  expect(cells).toEqual([
    ['1', '2'],
    ['1', '2'],
    ['4', '5'],
  ]);
  expect(problems).toEqual([undefined, 'line 3 has 3 cells where there are 2 columns', undefined]);
});
