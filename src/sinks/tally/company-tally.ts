import { type Cell, type FlatRecord, positionOf } from '../../records/columns/columns.ts';
import { companyColumns } from '../../records/columns/company-columns.ts';
import type { Drift } from '../../records/flatten/drift.ts';
import { type Counted, clipText, openCounter } from './counter.ts';

/** What can only be said after every company was seen, as plain JSON. */
export interface CompanyTally {
  /** Rows that have a company. */
  readonly companies: number;
  /** How many of them fill each of the company columns. */
  readonly filled: readonly number[];
  readonly headquarters: Counted;
  readonly industries: Counted;
  readonly sizes: Counted;
  readonly drift: readonly CountedDrift[];
}

export interface CountedDrift extends Drift {
  readonly rows: number;
  readonly firstRow: number;
}

export interface CompanyTallying {
  /** `cells` is the record of the row, whose company begins at `offset`. */
  add(row: number, drifts: readonly Drift[], cells: FlatRecord, offset: number): void;
  /** Adds the tally of later rows. */
  merge(later: CompanyTally): void;
  facts(): CompanyTally;
}

/** A service may invent a field name for each company; so many of them are enough to show it. */
const mostDrifts = 500;
const longestPath = 160;

export function openCompanyTally(): CompanyTallying {
  let companies = 0;
  const filled = new Array<number>(companyColumns.length).fill(0);
  const headquarters = openCounter();
  const industries = openCounter();
  const sizes = openCounter();
  const drifts = new Map<string, CountedDrift>();

  const addDrift = (drift: CountedDrift) => {
    const found = { ...drift, path: clipText(drift.path, longestPath) };
    const key = `${found.path} ${found.expected} ${found.found}`;
    const known = drifts.get(key);
    if (known) {
      drifts.set(key, { ...known, rows: known.rows + found.rows });
    } else if (drifts.size < mostDrifts) {
      drifts.set(key, found);
    }
  };

  return {
    add(row, found, cells, offset) {
      companies += 1;
      for (let index = 0; index < filled.length; index += 1) {
        if (isFilled(cells[offset + index])) filled[index] = (filled[index] ?? 0) + 1;
      }
      addText(headquarters, cells[offset + headquartersPosition]);
      addText(sizes, cells[offset + sizePosition]);
      const names = cells[offset + industriesPosition];
      if (Array.isArray(names)) for (const name of new Set(names)) addText(industries, name);
      for (const drift of found) addDrift({ ...drift, rows: 1, firstRow: row });
    },
    merge(other) {
      companies += other.companies;
      for (const [index, count] of other.filled.entries()) {
        filled[index] = (filled[index] ?? 0) + count;
      }
      headquarters.merge(other.headquarters);
      industries.merge(other.industries);
      sizes.merge(other.sizes);
      for (const drift of other.drift) addDrift(drift);
    },
    facts: () => ({
      companies,
      filled,
      headquarters: headquarters.facts(),
      industries: industries.facts(),
      sizes: sizes.facts(),
      drift: [...drifts.values()],
    }),
  };
}

const headquartersPosition = positionOf(companyColumns, 'company_hq_country');
const sizePosition = positionOf(companyColumns, 'company_company_size');
const industriesPosition = positionOf(companyColumns, 'company_industries');

function isFilled(cell: Cell | undefined): boolean {
  if (cell === null || cell === undefined || cell === '') return false;
  return !Array.isArray(cell) || cell.length > 0;
}

function addText(counter: { add(name: string): void }, cell: Cell | undefined): void {
  const text = typeof cell === 'string' ? cell.trim() : '';
  if (text !== '') counter.add(text);
}
