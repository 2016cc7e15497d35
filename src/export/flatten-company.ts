import { nameNetwork } from '../contract/network-name.ts';
import { type Cell, companyColumns, companyFields } from './columns.ts';
import type { Drift } from './drift.ts';
import { flattenObject } from './flatten-object.ts';
import { jsonText } from './json-text.ts';

const extraIndex = companyColumns.length - 1;

/** A company as the service answered it, in the order of `companyColumns`. */
export function flattenCompany(company: unknown): Cell[] {
  const cells = new Array<Cell>(companyColumns.length).fill(null);
  fillCompany(company, cells, 0);
  return cells;
}

/**
 * The same into cells that are at hand and null, for records that hold more than the company. Gives
 * back where the company differs from the interface.
 */
export function fillCompany(company: unknown, cells: Cell[], offset: number): readonly Drift[] {
  const { extra, drifts } = flattenObject(companyFields, nameNetwork(company), cells, offset);
  if (extra !== undefined) cells[offset + extraIndex] = jsonText(extra);
  return drifts;
}
