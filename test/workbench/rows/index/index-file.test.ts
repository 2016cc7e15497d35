import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RowRecord } from '../../../../src/ledger/run-records.ts';
import { companiesColumns, flattenRow } from '../../../../src/records/flatten-row.ts';
import { entryMaker, lineOfCell } from '../../../../src/workbench/rows/index/entry.ts';
import { openIndexFile } from '../../../../src/workbench/rows/index/index-file.ts';
import { cellKeyName } from '../../../../src/workbench/rows/index/sort-keys.ts';

const cell = fc.oneof(
  fc.constantFrom(null, '', ' ', '7', '10', '-3.5', '007', 'Ünal', 'unal', 'UNAL  x', 'a\nb', '𝒳'),
  fc.string({ unit: 'binary', maxLength: 12 }),
);

test('a column of the list has the same order by its key and by the texts', () => {
  const makeEntry = entryMaker(companiesColumns(['first', 'second']));
  const row = (number: number, cells: readonly (string | null)[]): RowRecord => ({
    ...{ number, key: `k${number}`, cells, country: null, reason: null, askedBy: null },
    status: 'open',
    ...{ message: null, matchedBy: null, identifier: null, match: null, fetchedAt: null },
    ...{ isStale: false, changedAt: null, peopleComplete: null, company: undefined },
  });
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell), { maxLength: 12 }), fc.boolean(), (rows, isDown) => {
      using file = openIndexFile(':memory:', { identity: '', width: 2 });
      const entries = rows.map((cells, at) =>
        makeEntry(flattenRow(row(at + 1, cells), 2), 2, false),
      );
      file.put(entries, []);
      for (const position of [0, 1]) {
        const byKey = file.sortedBy(cellKeyName(position) ?? '', isDown);
        expect(byKey).toEqual(file.sortedByLine(lineOfCell(position), isDown));
      }
    }),
  );
});
