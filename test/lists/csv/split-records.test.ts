import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DossierError } from '../../../src/core/errors.ts';
import { scanRecord } from '../../../src/lists/csv/csv-records.ts';
import { readBack } from '../../support/read-back.ts';

const header = 'name,site,country';

test('a quote inside an unquoted cell is text', async () => {
  const { cells, problems } = await readBack('name,site\n5" pipe,pipe.com\nsay "hi",hi.com\n');
  expect(cells).toEqual([
    ['5" pipe', 'pipe.com'],
    ['say "hi"', 'hi.com'],
  ]);
  expect(problems).toEqual([undefined, undefined]);
});

test('text after a closing quote stays in its cell and its row', async () => {
  const { cells, problems } = await readBack(
    'name,site\n"Acme" Pty,acme.com\n"The "Best", Ltd",best.com\n"Foo" ,foo.com\n',
  );
  expect(cells).toEqual([
    ['"Acme" Pty', 'acme.com'],
    ['"The "Best"', ' Ltd"', 'best.com'],
    ['"Foo" ', 'foo.com'],
  ]);
  expect(problems).toEqual([undefined, 'line 3 has 3 cells instead of 2', undefined]);
});

test.each([
  ['never closes', 'Bar,bar.com,NZ'],
  ['meets a quoted cell with a delimiter below', '"Bar, Inc",bar.com,NZ'],
])('a stray quote that %s spoils its own row only', async (_, third) => {
  const { rows } = await readBack(
    [header, 'Acme,"acme.com,AU', 'Foo,foo.com,AU', third, 'Baz,baz.com,AU', ''].join('\n'),
  );
  expect(rows.map(({ line, cells }) => [line, cells[1]])).toEqual([
    [2, '"acme.com'],
    [3, 'foo.com'],
    [4, 'bar.com'],
    [5, 'baz.com'],
  ]);
  expect(rows.map((row) => row.problem)).toEqual([
    'a quote opens on line 2 and is never closed',
    undefined,
    undefined,
    undefined,
  ]);
});

test('a stray quote far above the next one spoils its own row only', async () => {
  const swallowed = 'Foo,foo.com,AU\n'.repeat(75_000);
  const { rows } = await readBack(`${header}\nAcme,"acme.com,AU\n${swallowed}"Bar",bar.com,NZ\n`);
  expect(rows).toHaveLength(75_002);
  expect(rows.filter((row) => row.problem).map((row) => row.line)).toEqual([2]);
});

test('rows that two stray quotes merge are a row with a problem', async () => {
  const rows = 'Foo,foo.com,AU\n'.repeat(10);
  const closedLate = await readBack(`${header}\nAcme,acme.com,"AU\n${rows}Bar,bar.com,NZ"\n`);
  expect(closedLate.problems).toEqual([
    'a quote opens on line 2 and closes on line 13, and all lines in between look like rows',
  ]);
  const cellsLost = await readBack(`${header}\n"Acme,acme.com,AU\nBar,bar.com"\nBaz,baz.com,AU\n`);
  expect(cellsLost.problems).toEqual([
    'line 2 has 1 cell instead of 3; a quote may be misplaced',
    undefined,
  ]);
});

test.each([
  ['unquoted', 'x'.repeat(3_000_000)],
  ['a little over the limit', 'x'.repeat(1024 * 1024)],
])('a cell over the limit is a problem of its row (%s)', async (_, cell) => {
  const { rows } = await readBack(
    `${header}\nAcme,acme.com,AU\n${cell},big.com,AU\n\nFoo,foo.com,AU\n`,
  );
  expect(rows).toEqual([
    { number: 1, line: 2, cells: ['Acme', 'acme.com', 'AU'] },
    {
      number: 2,
      line: 3,
      cells: [undefined, undefined, undefined],
      problem: 'the record on line 3 is longer than 1048576 characters',
    },
    { number: 3, line: 5, cells: ['Foo', 'foo.com', 'AU'] },
  ]);
});

test('one stray quote anywhere never changes another row without a problem', async () => {
  const cell = fc.oneof(
    fc.string({ unit: fc.constantFrom('a', 'b', ' '), maxLength: 4 }),
    fc.string({ unit: fc.constantFrom('a', ',', '""'), maxLength: 4 }).map((text) => `"${text}"`),
  );
  const lines = fc
    .integer({ min: 1, max: 4 })
    .chain((width) =>
      fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1 }),
    )
    .map((rows) => rows.map((cells) => `x,${cells.join(',')}`));
  await fc.assert(
    fc.asyncProperty(lines, fc.nat(), fc.nat(), async (whole, atLine, atCharacter) => {
      const names = `name${',y'.repeat(countOfCells(whole[0] ?? '') - 1)}`;
      const intact = await readBack([names, ...whole].join('\n'));
      const damagedLine = atLine % whole.length;
      const damaged = whole.map((line, index) => {
        if (index !== damagedLine) return line;
        const at = atCharacter % (line.length + 1);
        return `${line.slice(0, at)}"${line.slice(at)}`;
      });
      const rows = await readBack([names, ...damaged].join('\n')).then(
        (read) => read.rows,
        (error: unknown) => {
          expect(error).toBeInstanceOf(DossierError);
          return [];
        },
      );
      const isTold = rows.length === 0 || rows.some((row) => row.problem !== undefined);
      if (!isTold) expect(rows).toHaveLength(whole.length);
      for (const row of rows) {
        if (row.problem !== undefined || row.line === damagedLine + 2) continue;
        expect(row.cells).toEqual(intact.rows[row.line - 2]?.cells);
      }
    }),
    { numRuns: 60 },
  );
});

function countOfCells(line: string): number {
  const found = scanRecord(line, 0, { delimiter: ',', lineEnd: '\n' }, 'line');
  return found.kind === 'found' ? found.cells : 0;
}
