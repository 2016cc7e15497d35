import { nameNetwork } from '../../contract/network-name.ts';
import { type Cell, companyColumns, companyFields } from '../columns/columns.ts';
import type { Drift } from './drift.ts';
import { flattenObject } from './flatten-object.ts';
import { jsonText } from './json-text.ts';

const extraIndex = companyColumns.length - 1;

/**
 * Puts a company as the service answered it, in the order of `companyColumns`, into cells that are at
 * hand and null: records hold more than the company. Gives back where it differs from the interface.
 */
export function fillCompany(company: unknown, cells: Cell[], offset: number): readonly Drift[] {
  const { extra, drifts } = flattenObject(companyFields, nameNetwork(company), cells, offset);
  if (extra !== undefined) cells[offset + extraIndex] = jsonText(extra);
  return drifts;
}
