import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countCells, findRecordEnd, parseCells } from '../../../src/input/csv/csv-records.ts';

const dialect = { delimiter: ',', lineEnd: '\n' } as const;

test.each([
  ['a,b\nc', 3, false],
  ['"a\nb",c\nd', 7, false],
  ['"a""\n""b"\nc', 9, false],
  ['"a" \nb', 4, false],
  ['"a"\r\nb', 4, false],
  ['"a"x\nb', 4, true],
  ['a"b,c"\nd', 6, false],
])('the record of %j ends at %i', (text, end, isIrregular) => {
  expect(findRecordEnd(text, 0, dialect, false)).toMatchObject({ kind: 'found', end, isIrregular });
});

test.each(['a,b', '"a"', '"a" ', '"a"\r', 'a,'])('%j may go on in the next chunk', (text) => {
  expect(findRecordEnd(text, 0, dialect, false)).toEqual({ kind: 'cut' });
});

test('a quote inside an unquoted cell is loose', () => {
  expect(findRecordEnd('5" pipe\n', 0, dialect, false)).toMatchObject({ hasLooseQuote: true });
  expect(findRecordEnd('"5"" pipe"\n', 0, dialect, false)).toMatchObject({ hasLooseQuote: false });
});

test('a quote that does not close is reported with its offset', () => {
  expect(findRecordEnd('x,"a\nb', 0, dialect, true)).toEqual({ kind: 'unclosed', openedAt: 2 });
});

test('csv-parse sees the same records and cells, whatever the quotes', () => {
  const text = fc.string({
    unit: fc.constantFrom('a', '"', '"', ',', '\n', ' ', '\r'),
    minLength: 1,
  });
  fc.assert(
    fc.property(text, (given) => {
      const found = findRecordEnd(given, 0, dialect, true);
      fc.pre(found.kind === 'found' && found.end > 0);
      const record = given.slice(0, found.kind === 'found' ? found.end : 0);
      const raw = { line: 1, text: record, isPlain: false, isDoubtful: false };
      const neighbour = { ...raw, text: 'b,"c"' };
      const [cells, next, ...others] = parseCells([raw, neighbour], dialect);
      expect(next).toEqual(['b', 'c']);
      expect(others).toEqual([]);
      expect(cells).toHaveLength(countCells(record, dialect));
    }),
    { numRuns: 3_000 },
  );
});

test('a record without quotes has the cells that csv-parse finds', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'é', ',', ' ', '=', '\t'), minLength: 1 });
  fc.assert(
    fc.property(text, (given) => {
      const [plain, parsed] = [true, false].map((isPlain) =>
        parseCells([{ text: given, isPlain }], dialect),
      );
      expect(plain).toEqual(parsed);
    }),
  );
});
