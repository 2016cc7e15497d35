import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { scanRecord } from '../../../src/lists/csv/csv-records.ts';

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
  expect(scanRecord(text, 0, dialect, 'comes')).toMatchObject({ kind: 'found', end, isIrregular });
});

test.each(['a,b', '"a"', '"a" ', '"a"\r', 'a,'])('%j may go on in the next chunk', (text) => {
  expect(scanRecord(text, 0, dialect, 'comes')).toEqual({ kind: 'cut' });
});

test('a quote inside an unquoted cell is loose', () => {
  expect(scanRecord('5" pipe\n', 0, dialect, 'comes')).toMatchObject({ hasLooseQuote: true });
  expect(scanRecord('"5"" pipe"\n', 0, dialect, 'comes')).toMatchObject({ hasLooseQuote: false });
});

test('a quote that does not close is reported with its offset', () => {
  expect(scanRecord('x,"a\nb', 0, dialect, 'ended')).toEqual({ kind: 'unclosed', openedAt: 2 });
});

test('csv-parse sees as many cells, whatever the quotes', () => {
  const text = fc.string({
    unit: fc.constantFrom('a', '"', '"', ',', '\n', ' ', '\r'),
    minLength: 1,
  });
  fc.assert(
    fc.property(text, (given) => {
      const found = scanRecord(given, 0, dialect, 'ended');
      fc.pre(found.kind === 'found' && found.end > 0 && !/\r$/.test(given.slice(0, found.end)));
      if (found.kind !== 'found') return;
      const [cells] = parse(given.slice(0, found.end), {
        record_delimiter: '\n',
        relax_quotes: true,
        relax_column_count: true,
      });
      expect(cells).toHaveLength(found.cells);
    }),
    { numRuns: 3_000 },
  );
});
