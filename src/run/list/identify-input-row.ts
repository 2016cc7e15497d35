import { identifyRow, type RowPlan } from '../../identify/identify-row.ts';
import type { InputRow } from '../../input/input-row.ts';
import { guessProblem } from '../../input/reading-notes.ts';
import type { IdentifiedRow } from '../../queue/run-queue.ts';
import type { openCorrections } from './apply-corrections.ts';
import type { RowKeys } from './key/open-row-keys.ts';
import type { KeyPlan } from './key/plan-key.ts';

/** Where a list has what a row asks for, and what tells it from others. */
export interface ListPlans {
  readonly row: RowPlan;
  readonly key: KeyPlan;
}

/** What is known of a list beside its rows. */
export interface ListFacts {
  readonly keys: RowKeys;
  /** The encoding that was guessed, if any. */
  readonly encoding: string | undefined;
  readonly corrections: ReturnType<typeof openCorrections>;
}

/**
 * Finds out what a row of a list asks for, or why it asks for nothing, and gives it its key. The key is made
 * of the cells as the list has them: a row that is mended stays the same row.
 */
export function identifyInputRow(
  row: InputRow,
  plans: ListPlans,
  { keys, encoding, corrections }: ListFacts,
): IdentifiedRow {
  const { number, cells } = row;
  const read = readRow(row, plans.row, encoding);
  const { country, candidates } = read;
  const key = keys.keyOf({ number, cells, country, candidates }, plans);
  const mended = corrections.mend(key, row, plans.row);
  if (!mended) return identified(number, key, read);
  return identified(number, key, readRow({ ...row, ...mended }, plans.row, encoding));
}

/** A row as far as it can be read. */
interface RowAsRead extends Pick<IdentifiedRow, 'cells' | 'country' | 'candidates'> {
  readonly reject: IdentifiedRow['reject'] | undefined;
}

function readRow(
  row: InputRow & { readonly places?: ReadonlySet<number> },
  plan: RowPlan,
  encoding: string | undefined,
): RowAsRead {
  const { cells, places } = row;
  // What somebody has typed anew was not read in a guessed encoding.
  const asWritten = places
    ? plan.identify.filter(({ index }) => !places.has(index))
    : plan.identify;
  const problem = row.problem ?? guessProblem(row, asWritten, encoding);
  if (problem !== undefined) {
    const reject = { reason: 'unreadable_row', message: problem };
    return { cells, country: undefined, candidates: [], reject };
  }
  const { country, reject, ...identity } = identifyRow(cells, plan);
  const candidates = identity.candidates.map(({ kind, value }) => [kind, value] as const);
  return {
    ...{ cells, country, candidates },
    reject: reject && { reason: reject.reject, message: reject.message },
  };
}

/** A row that is rejected asks for nothing, whatever else it holds. */
function identified(
  number: number,
  key: string,
  { cells, country, candidates, reject }: RowAsRead,
): IdentifiedRow {
  if (reject) return { number, key, cells, country, candidates: [], reject };
  return { number, key, cells, country, candidates };
}
