import type { Country } from '../contract/countries.ts';
import {
  type Identified,
  type Identifier,
  isReject,
  type Reading,
  type Reject,
  type RejectCode,
  rejectAs,
  rejectCatalog,
} from './identifier.ts';
import { identifyCell } from './identify-cell.ts';
import { parseCountry } from './parse-country.ts';

export interface RowPlan {
  readonly identify: readonly { readonly index: number; readonly as: Reading }[];
  readonly country: { readonly index?: number; readonly default: Country };
}

export function identifyRow(
  cells: readonly (string | undefined)[],
  plan: RowPlan,
): {
  readonly country: Country | undefined;
  /** Best first; the others are fallbacks. */
  readonly candidates: readonly Identifier[];
  readonly rejects: readonly (Reject & { readonly column: number })[];
  readonly reject: Reject | undefined;
} {
  const values: Identifier[] = [];
  const alternates: Identifier[] = [];
  const rejects: (Reject & { column: number })[] = [];

  for (const { index: column, as } of plan.identify) {
    const result = identifyCell(cells[column] ?? '', as);
    if (isReject(result)) {
      rejects.push({ ...result, column });
      continue;
    }
    values.push(result);
    if (result.alternates) alternates.push(...result.alternates);
  }

  const candidates = withoutRepeats([...values, ...alternates]);
  const country = countryOf(cells, plan);
  if (typeof country !== 'string')
    return { country: undefined, candidates, rejects, reject: country };
  const reject = candidates.length > 0 ? undefined : rejectOfRow(rejects);
  return { country, candidates, rejects, reject };
}

function countryOf(cells: readonly (string | undefined)[], plan: RowPlan): Country | Reject {
  const { index } = plan.country;
  const written = index === undefined ? undefined : parseCountry(cells[index] ?? '');
  return written ?? plan.country.default;
}

function withoutRepeats(candidates: Identifier[]): Identifier[] {
  if (candidates.length < 2) return candidates;
  const seen = new Set<string>();
  return candidates.filter(({ kind, value }) => {
    const key = `${kind} ${value}`;
    return !seen.has(key) && seen.add(key);
  });
}

/** A wrong value explains more than a blank cell. */
function rejectOfRow(rejects: readonly Reject[]): Reject {
  const reason = rejects.find(({ reject }) => reject !== 'blank') ?? rejects[0];
  return reason ? { reject: reason.reject, message: reason.message } : rejectAs('blank');
}

export type ValueVerdict =
  | { readonly identified: Identified }
  | { readonly country: Country | undefined }
  | { readonly reject: RejectCode; readonly message: string; readonly fix: string };

export function identifyValue(value: string, as: Reading | 'country'): ValueVerdict {
  if (as === 'country') {
    const country = parseCountry(value);
    return typeof country === 'object' ? withFix(country.reject) : { country };
  }
  const result = identifyCell(value, as);
  return isReject(result) ? withFix(result.reject) : { identified: result };
}

function withFix(reject: RejectCode): ValueVerdict {
  const { message, fix } = rejectCatalog[reject];
  return { reject, message, fix };
}
