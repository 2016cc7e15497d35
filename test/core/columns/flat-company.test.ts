import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Cell } from '../../../src/core/columns/columns.ts';
import { countFilled, fillCompany } from '../../../src/core/columns/company-cells.ts';
import { csvCells } from '../../../src/core/columns/csv-cells.ts';
import {
  FlatCompany,
  flatVersion,
  writeFlatCompany,
} from '../../../src/core/columns/flat-company.ts';
import { countMisfits } from '../../../src/core/columns/flatten-answer.ts';
import { companyColumns, companyFields } from '../../../src/core/columns/table-columns.ts';
import { readIdentifiers } from '../../../src/engine/providers/read-identifiers.ts';
import { arbitraryAnswer } from './arbitrary-answer.ts';
import { companyCells, fullCompany } from './sample-records.ts';

const noCells = () => new Array<Cell>(companyColumns.length).fill(null);

function keep(company: unknown) {
  const bytes = writeFlatCompany(company, readIdentifiers(company));
  return bytes && FlatCompany.read(Buffer.from(bytes));
}

/** Text of a file: CSV and JSON write halves of surrogate pairs as U+FFFD. */
const asWritten = (cells: readonly Cell[]) => JSON.stringify(cells);

test('a flat company has the cells of its answer, whatever the answer is', () => {
  let flat = 0;
  fc.assert(
    fc.property(arbitraryAnswer(), (company) => {
      const read = keep(company);
      if (!read) return;
      flat += 1;
      const cells = noCells();
      read.fill(cells, 0);
      const made = companyCells(company);
      expect(asWritten(cells)).toBe(asWritten(made));
      expect(String(read.csv)).toBe(csvCells(',')(made));
      const [filled, counted] = [noCells().map(() => 0), noCells().map(() => 0)];
      countFilled(filled, made);
      read.countFilled(counted);
      expect(counted).toEqual(filled);
      expect(read.identifiers).toEqual(readIdentifiers(company));
      const misfits = new Map();
      countMisfits(companyFields, fillCompany(company, noCells(), 0), misfits);
      expect(read.hasMisfits).toBe(misfits.size > 0);
    }),
    { numRuns: 500 },
  );
  expect(flat).toBeGreaterThan(100);
});

test('what CSV would not give back is made from the answer', () => {
  expect(keep(fullCompany())).toBeDefined();
  for (const industries of [['shops; bars'], [''], ['half \ud800']])
    expect(keep({ ...fullCompany(), industries })).toBeUndefined();
});

/** If this fails: raise `flattening`, then write the new numbers here. */
test('a change of what is made of an answer changes the version', () => {
  const bytes = writeFlatCompany(fullCompany(), readIdentifiers(fullCompany())) as Buffer;
  expect([bytes.readUInt32LE(0), flatVersion('')]).toEqual([4_005_879_777, 243_364_737_719_528]);
});
