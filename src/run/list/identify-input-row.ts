import { identifyRow, type RowPlan } from '../../identify/identify-row.ts';
import type { InputRow } from '../../input/input-row.ts';
import { guessProblem } from '../../input/reading-notes.ts';
import type { IdentifiedRow } from '../../queue/run-queue.ts';
import type { RowKeys } from './key/open-row-keys.ts';
import type { KeyPlan } from './key/plan-key.ts';

/** Where a list has what a row asks for, and what tells it from others. */
export interface ListPlans {
  readonly row: RowPlan;
  readonly key: KeyPlan;
}

/** Finds out what a row of a list asks for, or why it asks for nothing, and gives it its key. */
export function identifyInputRow(
  row: InputRow,
  plans: ListPlans,
  { keys, encoding }: { readonly keys: RowKeys; readonly encoding: string | undefined },
): IdentifiedRow {
  const { number, cells } = row;
  const plan = plans.row;
  const problem = row.problem ?? guessProblem(row, plan.identify, encoding);
  const identity = problem === undefined ? identifyRow(cells, plan) : undefined;
  const country = identity?.country;
  const found = identity?.candidates ?? [];
  const candidates = found.map(({ kind, value }) => [kind, value] as const);
  const key = keys.keyOf({ number, cells, country, candidates }, plans);
  if (identity && !identity.reject && candidates.length > 0 && country) {
    return { number, key, cells, country, candidates };
  }
  const reject = {
    reason: identity?.reject?.reject ?? 'unreadable_row',
    message: identity?.reject?.message ?? problem ?? '',
  };
  return { number, key, cells, country, candidates: [], reject };
}
