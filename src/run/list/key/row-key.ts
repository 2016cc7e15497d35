import { hash } from 'node:crypto';
import type { Country } from '../../../contract/countries.ts';
import { cleanCell, isBlank } from '../../../identify/clean-cell.ts';
import type { RowPlan } from '../../../identify/identify-row.ts';
import type { RowCandidate } from '../../../rules/next-candidate.ts';

type Cells = readonly (string | undefined)[];

/**
 * The key that the columns of a list give a row; undefined where all of its key cells are blank. Cells are
 * cleaned. Of several columns `|` stands between the cells, and a cell's own `|` and `\` have a `\` before
 * them, so that no two rows with different cells have one key: `eu`, `42` → `eu|42`.
 */
export function keyFromColumns(cells: Cells, indexes: readonly number[]): string | undefined {
  const [index] = indexes;
  if (indexes.length === 1 && index !== undefined) return filled(cells[index]) || undefined;
  const parts = indexes.map((place) => filled(cells[place]));
  if (parts.every((part) => part === '')) return undefined;
  return parts.map((part) => part.replace(/[\\|]/g, '\\$&')).join('|');
}

/** What a row asks for, as far as it can be read. */
export interface Asked {
  readonly country: Country | undefined;
  readonly candidates: readonly RowCandidate[];
}

/**
 * The key of a row that has none of its own: a hash of its country and its identifiers as they are asked
 * for, so that `https://www.acme.com/about` and `acme.com` are the same row. A row without a good identifier
 * or country has its cells instead, cleaned and in lower case.
 */
export function keyFromIdentity(cells: Cells, plan: RowPlan, asked: Asked): string {
  const { candidates } = asked;
  const country = asked.country ?? cellText(cells[plan.country.index ?? -1]);
  const identity =
    candidates.length > 0
      ? candidates.map(([kind, value]) => `${kind}:${value}`)
      : plan.identify.map(({ index }) => cellText(cells[index]));
  return shortHash(JSON.stringify([country, ...identity]));
}

/** The first 16 hex digits of SHA-256: of a million rows, two are the same once in 37 million lists. */
export function shortHash(text: string): string {
  return hash('sha256', text, 'hex').slice(0, 16);
}

function filled(cell: string | undefined): string {
  const cleaned = cleanCell(cell ?? '');
  return isBlank(cleaned) ? '' : cleaned;
}

function cellText(cell: string | undefined): string {
  return cleanCell(cell ?? '').toLowerCase();
}
