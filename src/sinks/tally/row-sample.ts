import type { IdentifierKind } from '../../contract/identifier-kinds.ts';
import type { RowRecord } from '../../ledger/run-records.ts';
import type { Match, RecordStatus } from '../../rules/outcomes.ts';
import { clipText } from './counter.ts';

/** A row as a page shows it: short, and without what is not known. */
export interface SampledRow {
  readonly row: number;
  readonly status: RecordStatus;
  readonly reason?: string;
  readonly message?: string;
  readonly kind?: IdentifierKind;
  readonly identifier?: string;
  readonly match?: Match;
  readonly country?: string;
  readonly company?: string;
  /** Of a company that carries another identifier than was asked for. */
  readonly domain?: string;
  /** The first cells of the input that are filled. */
  readonly input: string;
}

/** Rows of a kind are shown together, so each kind has its own first rows. */
export const rowClasses = [
  'failed',
  'mismatch',
  'invalid',
  'not_found',
  'open',
  'matched',
] as const;
type RowClass = (typeof rowClasses)[number];

export type RowSample = Readonly<Record<RowClass, readonly SampledRow[]>>;

/** A page opens at once with this many; the files have them all. */
export const mostSampledRows = 3_000;

const longestText = 160;
/** Enough to know the row again, and to see what is wrong with it. */
const cellsShown = 6;

interface SampledCompany {
  readonly name?: string | undefined;
  readonly domain?: string | undefined;
}

/** Keeps the first rows of each class. */
export function openRowSampler() {
  const kept: Record<RowClass, SampledRow[]> = {
    failed: [],
    mismatch: [],
    invalid: [],
    not_found: [],
    open: [],
    matched: [],
  };
  return {
    add(row: RowRecord, company: SampledCompany): void {
      const rows = kept[classOf(row)];
      if (rows.length < mostSampledRows) rows.push(sampleRow(row, company));
    },
    facts: (): RowSample => kept,
  };
}

function classOf({ status, match }: Pick<RowRecord, 'status' | 'match'>): RowClass {
  return status === 'matched' && match === 'mismatch' ? 'mismatch' : status;
}

export function sampleRow(row: RowRecord, { name, domain }: SampledCompany = {}): SampledRow {
  const { number, status, reason, message, askedBy, identifier, match, country } = row;
  return {
    row: number,
    status,
    ...(reason !== null && { reason }),
    ...(message !== null && { message: clipText(message, longestText) }),
    ...(askedBy !== null && { kind: askedBy }),
    ...(identifier !== null && { identifier: clipText(identifier, longestText) }),
    ...(match !== null && { match }),
    ...(country !== null && { country }),
    ...(name !== undefined && { company: clipText(name, longestText) }),
    ...(match === 'mismatch' && domain && { domain: clipText(domain, longestText) }),
    input: inputText(row.cells),
  };
}

function inputText(cells: RowRecord['cells']): string {
  const shown: string[] = [];
  for (const cell of cells) {
    const text = cell?.trim();
    if (text) shown.push(text);
    if (shown.length === cellsShown) break;
  }
  return clipText(shown.join(' · '), longestText);
}
