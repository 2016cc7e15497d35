import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DossierError } from '../../../src/core/errors.ts';
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

test('a quote that opens and never closes is refused with its line', async () => {
  const rows = [header, 'Acme,acme.com,AU', 'Foo,"foo.com,AU', 'Bar,bar.com,NZ', ''];
  await expect(readBack(rows.join('\n'))).rejects.toThrow(
    /line 3: a quote opens here and is not closed before the file ends\. Close the quote/,
  );
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
  const tables = fc
    .integer({ min: 1, max: 4 })
    .chain((width) =>
      fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1 }),
    )
    .map((rows) => ({
      names: `name${',y'.repeat(rows[0]?.length ?? 0)}`,
      whole: rows.map((cells) => `x,${cells.join(',')}`),
    }));
  await fc.assert(
    fc.asyncProperty(tables, fc.nat(), fc.nat(), async ({ names, whole }, atLine, atCharacter) => {
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
