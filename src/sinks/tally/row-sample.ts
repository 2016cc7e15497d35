import type { IdentifierKind } from '../../contract/identifier-kinds.ts';
import type { RowRecord } from '../../ledger/run-records.ts';
import type { Match, RecordStatus } from '../../rules/outcomes.ts';

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
    add(row: RowRecord, company: string | undefined): void {
      const rows = kept[classOf(row)];
      if (rows.length < mostSampledRows) rows.push(sampleRow(row, company));
    },
    facts: (): RowSample => kept,
  };
}

function classOf({ status, match }: Pick<RowRecord, 'status' | 'match'>): RowClass {
  return status === 'matched' && match === 'mismatch' ? 'mismatch' : status;
}

export function sampleRow(row: RowRecord, company?: string): SampledRow {
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
    ...(company !== undefined && { company: clipText(company, longestText) }),
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

/**
 * Text for a page: cut with an ellipsis, never through the middle of a character, and without the
 * signs that turn around the direction of whatever stands beside it.
 */
export function clipText(text: string, longest: number): string {
  const plain = text.replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, '');
  if (plain.length <= longest) return plain;
  return `${plain.slice(0, longest - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
