import type { RunPlan } from './runs.ts';

/*
 *   GET    api/fixes?job             → Fixes
 *   POST   api/fixes/verdict?job     → CellVerdict on a TypedCell; nothing is kept
 *   PUT    api/fixes?job { cells }   → FixedCells: keeps what is good of up to 10,000 TypedCells
 *   DELETE api/fixes?job&key&header  → Fixes: takes a cell back; without one, all that were not looked up
 *   GET    api/fixes/price?job       → FixPrice
 *   POST   api/fixes/run?job         → looks the fixed rows up again
 */

/** What of a list can be fixed, and what has been. */
export interface Fixes {
  /** Columns that rows are looked up by; none where no run has read the list yet. */
  readonly columns: readonly FixableColumn[];
  readonly corrections: readonly KeptCorrection[];
}

export interface FixableColumn {
  /** As the table calls it: `input_website`. */
  readonly name: string;
  /** The list's own. */
  readonly header: string;
  /** `fqdn`, `abn`, `auto`, …, or `country`. */
  readonly as: string;
}

/** A line of the corrections file beside the job. */
export interface KeptCorrection {
  readonly key: string;
  readonly header: string;
  readonly was: string;
  readonly now: string;
  /** A run has read the list since it was fixed. */
  readonly isLookedUp: boolean;
}

/** A cell as somebody types or pastes it. */
export interface TypedCell {
  /** Number of the row in the newest run. */
  readonly number: number;
  readonly header: string;
  readonly value: string;
}

/** What the engine says of a cell as it is typed. */
export interface CellVerdict {
  /**
   * `good`: it would be kept. `same`: it means what the cell means already. `back`: it is what the list
   * holds, so that nothing is left to fix. `refused`: it cannot be looked up, either.
   */
  readonly kind: 'good' | 'same' | 'back' | 'refused';
  /** `57 961 803 396: ABN, check digits right`, or why it would be rejected. */
  readonly text: string;
  /** What to do about it; null where nothing is to be done. */
  readonly fix: string | null;
}

export interface FixedCells {
  /** In the order of the cells. */
  readonly verdicts: readonly CellVerdict[];
  readonly fixes: Fixes;
}

/** The cost of looking up the fixed rows. */
export interface FixPrice {
  readonly rows: number;
  readonly plan: Pick<RunPlan, 'calls' | 'price' | 'advisedBudget' | 'sampleData'>;
}
