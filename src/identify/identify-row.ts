import type { Country } from '../contract/countries.ts';
import { type Identified, type Identifier, isReject, type Reading } from './identifier.ts';
import { identifyCell } from './identify-cell.ts';
import { parseCountry } from './parse-country.ts';
import { type Reject, rejectAs } from './rejects.ts';

/** Where the identifiers of a row stand, in the order in which they are tried. */
export interface RowPlan {
  readonly identify: readonly { readonly index: number; readonly as: Reading }[];
  readonly country: { readonly index?: number; readonly default: Country };
}

export interface Candidate extends Identifier {
  /** Index of the column that it came from. */
  readonly column: number;
  readonly derivedFrom?: Identified['derivedFrom'];
  /** A second guess from a cell that gave a better one. */
  readonly isAlternate: boolean;
}

export interface RowIdentity {
  /** Undefined only when the row is rejected for it. */
  readonly country: Country | undefined;
  /** What to ask for, best first; the next is for a miss of the one before. */
  readonly candidates: readonly Candidate[];
  readonly rejects: readonly (Reject & { readonly column: number })[];
  /** Why the row asks for nothing at all; undefined when it does. */
  readonly reject: Reject | undefined;
}

export function identifyRow(cells: readonly (string | undefined)[], plan: RowPlan): RowIdentity {
  const values: Candidate[] = [];
  const alternates: Candidate[] = [];
  const rejects: (Reject & { column: number })[] = [];

  for (const { index: column, as } of plan.identify) {
    const result = identifyCell(cells[column] ?? '', as);
    if (isReject(result)) {
      rejects.push({ ...result, column });
      continue;
    }
    const { alternates: others = [], ...value } = result;
    values.push({ ...value, column, isAlternate: false });
    for (const other of others) alternates.push({ ...other, column, isAlternate: true });
  }

  // What another column says outright is better than a second guess about this one.
  const candidates = withoutRepeats([...values, ...alternates]);
  const country = countryOf(cells, plan);
  if (typeof country !== 'string')
    return { country: undefined, candidates, rejects, reject: country };
  const reject = candidates.length > 0 ? undefined : mostTelling(rejects);
  return { country, candidates, rejects, reject };
}

function countryOf(cells: readonly (string | undefined)[], plan: RowPlan): Country | Reject {
  const { index } = plan.country;
  const written = index === undefined ? undefined : parseCountry(cells[index] ?? '');
  return written ?? plan.country.default;
}

function withoutRepeats(candidates: Candidate[]): Candidate[] {
  if (candidates.length < 2) return candidates;
  const seen = new Set<string>();
  return candidates.filter(({ kind, value }) => {
    const key = `${kind} ${value}`;
    return !seen.has(key) && seen.add(key);
  });
}

/** An empty cell says less than a wrong one, wherever they stand. */
function mostTelling(rejects: readonly Reject[]): Reject {
  const found = rejects.find(({ reject }) => reject !== 'blank') ?? rejects[0];
  return found ? { reject: found.reject, message: found.message } : rejectAs('blank');
}
