import { jsonText } from '../values/json-text.ts';
import { type Cell, type FlatRecord, positionOf } from './columns.ts';
import { flattenObject } from './flatten-answer.ts';
import { companyColumns, companyFields } from './table-columns.ts';

const extraPosition = positionOf(companyColumns, 'company_extra');

/** Returns the values that fit no cell. */
export function fillCompany(company: unknown, cells: Cell[], offset: number): unknown {
  const extra = flattenObject(companyFields, company, cells, offset);
  if (extra !== undefined) cells[offset + extraPosition] = jsonText(extra);
  return extra;
}

export function countFilled(filled: number[], cells: FlatRecord, offset = 0, step = 1): void {
  for (let index = 0; index < filled.length; index += 1) {
    if (isFilled(cells[offset + index])) filled[index] = (filled[index] ?? 0) + step;
  }
}

function isFilled(cell: Cell | undefined) {
  if (cell == null || cell === '') return false;
  return !Array.isArray(cell) || cell.length > 0;
}
