import type { RowRecord } from '../../ledger/run-records.ts';
import { type FlatRecord, positionOf } from '../columns/columns.ts';
import { companiesColumns, flattenRow } from '../flatten-row.ts';
import type { Change, ChangeOp } from './change.ts';
import { type ColumnPair, cellsOf, differenceOf } from './compare-records.ts';

/** A row of two runs; one side is absent where it was added or removed. */
export interface ComparedRow {
  readonly key: string;
  readonly before?: { readonly record: RowRecord } | undefined;
  readonly after?: { readonly record: RowRecord } | undefined;
}

export interface RowComparison {
  /** The compared columns of companies.* in both runs. */
  readonly pairs: readonly ColumnPair[];
  /** Numbers of input columns. */
  readonly widthBefore: number;
  readonly widthAfter: number;
}

/** What has happened to a row between two runs; undefined where nothing has, or nothing is known. */
export function changeOfRow(
  { key, before: sideBefore, after: sideAfter }: ComparedRow,
  { pairs, widthBefore, widthAfter }: RowComparison,
): Change | undefined {
  const before = sideBefore?.record;
  const after = sideAfter?.record;
  const earlier = before && flattenRow(before, widthBefore).cells;
  const later = after && flattenRow(after, widthAfter).cells;
  const facts = { key, before, after, earlier, later };
  if (!earlier) {
    if (!later) return undefined;
    const cells = cellsOf(pairs, later, 'after');
    return asChange('row_added', facts, { columns: [], before: null, after: cells });
  }
  if (!later) {
    const cells = cellsOf(pairs, earlier, 'before');
    return asChange('row_removed', facts, { columns: [], before: cells, after: null });
  }
  const difference = differenceOf(pairs, earlier, later);
  const op = opOf(facts, difference.columns.length > 0);
  return op && asChange(op, facts, difference);
}

interface RowFacts {
  readonly key: string;
  readonly before: RowRecord | undefined;
  readonly after: RowRecord | undefined;
  readonly earlier: FlatRecord | undefined;
  readonly later: FlatRecord | undefined;
}

function opOf({ before, after, earlier, later }: RowFacts, isDifferent: boolean) {
  // An answer that did not come says nothing about the company; a stale one says what it said before.
  if (!isKnown(after) || after?.isStale) return undefined;
  const hadCompany = before?.status === 'matched';
  const hasCompany = after?.status === 'matched';
  if (hadCompany !== hasCompany) {
    return (hasCompany ? 'company_found' : 'company_lost') satisfies ChangeOp;
  }
  if (!isKnown(before)) return undefined;
  if (hasCompany && earlier?.[idPosition] !== later?.[idPosition]) return 'company_replaced';
  return isDifferent ? 'company_changed' : undefined;
}

function isKnown(row: RowRecord | undefined): boolean {
  return row?.status !== 'failed' && row?.status !== 'open';
}

function asChange(
  op: ChangeOp,
  { key, before, after, earlier, later }: RowFacts,
  difference: Pick<Change, 'columns' | 'before' | 'after'>,
): Change {
  const textAt = (position: number) => textIn(later, position) ?? textIn(earlier, position);
  return {
    op,
    rowKey: key,
    rowNumber: after?.number ?? before?.number ?? null,
    companyId: textAt(idPosition),
    companyName: textAt(namePosition),
    country: after?.country ?? before?.country ?? null,
    personId: null,
    ...difference,
    beforeFetchedAt: before?.fetchedAt ?? null,
    afterFetchedAt: after?.fetchedAt ?? null,
  };
}

function textIn(record: FlatRecord | undefined, position: number): string | null {
  const cell = record?.[position];
  return typeof cell === 'string' ? cell : null;
}

const columns = companiesColumns([]);
const idPosition = positionOf(columns, 'company_id');
const namePosition = positionOf(columns, 'company_name');
