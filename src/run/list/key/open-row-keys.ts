import type { RowPlan } from '../../../identify/identify-row.ts';
import { keyNotes } from './key-notes.ts';
import type { KeyPlan } from './plan-key.ts';
import { type Asked, keyFromColumns, keyFromIdentity } from './row-key.ts';
import { noRepeats, openUniqueKeys } from './unique-keys.ts';

/** Gives the rows of one list their keys, in the order of the list. */
export interface RowKeys {
  keyOf(row: KeyedRow, plans: { readonly row: RowPlan; readonly key: KeyPlan }): string;
  /** What people should know of the keys, when all rows have theirs. */
  notes(plan: KeyPlan, last: readonly string[] | null | undefined): string[];
}

export interface KeyedRow extends Asked {
  readonly number: number;
  readonly cells: readonly (string | undefined)[];
}

export function openRowKeys(): RowKeys {
  const unique = openUniqueKeys();
  const repeatedCells = noRepeats();
  const repeatedIdentities = noRepeats();
  const withoutKey = { rows: 0, first: 0 };
  return {
    keyOf(row, plans) {
      const { number, cells } = row;
      const own = keyFromColumns(cells, plans.key.indexes);
      if (own !== undefined) return unique.take(own, number, repeatedCells);
      withoutKey.rows += 1;
      withoutKey.first ||= number;
      return unique.take(keyFromIdentity(cells, plans.row, row), number, repeatedIdentities);
    },
    notes: (plan, last) => keyNotes(plan, last, { repeatedCells, repeatedIdentities, withoutKey }),
  };
}
