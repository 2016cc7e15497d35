import type { Country } from '../contract/countries.ts';
import { type Place, placeOf } from '../names/choose-entity.ts';
import { foldName } from '../names/fold-name.ts';
import { cleanCell, isBlank } from './clean-cell.ts';
import {
  type Identified,
  type Identifier,
  isReject,
  type Reading,
  type Reject,
  type RejectCode,
  rejectAs,
  rejectCatalog,
  rejectedName,
} from './identifier.ts';
import { identifyCell } from './identify-cell.ts';
import { parseCountry } from './parse-country.ts';
import { suggestValue } from './suggest-value.ts';

export interface RowPlan {
  readonly identify: readonly { readonly index: number; readonly as: Reading }[];
  readonly country: { readonly index?: number; readonly default: Country };
  /** Column of company names, for rows that have no better identifier or miss by all of them. */
  readonly name?: NameColumns | undefined;
}

export interface NameColumns {
  readonly index: number;
  readonly state?: number | undefined;
  readonly postcode?: number | undefined;
}

export interface NamedCell {
  readonly text: string;
  readonly place: Place;
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
  readonly named: NamedCell | undefined;
  /** A wrong value explains more than a blank cell, or a name that no company has. */
  readonly wrong: Reject | undefined;
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

  const name = plan.name && identifyValue(cells[plan.name.index] ?? '', 'name');
  // An ABN in the place of a name is how people correct a name.
  if (name && 'identified' in name) values.push(name.identified);
  const named = plan.name && name && 'name' in name ? namedIn(cells, plan.name) : undefined;
  const candidates = withoutRepeats([...values, ...alternates]);
  const country = countryOf(cells, plan);
  const isWrong = ({ reject, message }: Reject) =>
    reject !== 'blank' && !(named && message === rejectedName.message);
  const wrong = rejects.find(isWrong);
  const facts = { candidates, rejects, named, wrong };
  if (typeof country !== 'string') return { ...facts, country: undefined, reject: country };
  const hasAny = candidates.length > 0 || named;
  return { ...facts, country, reject: hasAny ? undefined : (wrong ?? rejectAs('blank')) };
}

export function namedIn(
  cells: readonly (string | null | undefined)[],
  columns: NameColumns,
): NamedCell {
  const { index, state = -1, postcode = -1 } = columns;
  return {
    text: cleanCell(cells[index] ?? ''),
    place: placeOf(cells[state] ?? undefined, cells[postcode] ?? undefined),
  };
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

export type ValueVerdict =
  | { readonly identified: Identified }
  | { readonly country: Country | undefined }
  | { readonly name: string }
  | {
      readonly reject: RejectCode;
      readonly message: string;
      readonly fix: string;
      /** The value that was certainly meant. */
      readonly meant?: string | undefined;
    };

export type CellUse = Reading | 'country' | 'name';

export function identifyValue(value: string, as: CellUse): ValueVerdict {
  if (as === 'name') {
    const number = identifyCell(value, 'abn');
    if (!isReject(number)) return { identified: number };
    const cell = cleanCell(value);
    const name = isBlank(cell) ? '' : foldName(cell);
    return name === '' ? withFix(rejectAs('blank')) : { name };
  }
  if (as === 'country') {
    const country = parseCountry(value);
    return typeof country === 'object' ? withFix(country) : { country };
  }
  const result = identifyCell(value, as);
  if (!isReject(result)) return { identified: result };
  const meant = suggestValue(value, as);
  const { fix, ...found } = withFix(result);
  return { ...found, fix: meant === undefined ? fix : `Did you mean ${meant}?`, meant };
}

function withFix({ reject, message }: Reject) {
  return { reject, message, fix: rejectCatalog[reject].fix };
}
