import type { RunPlan } from './plan.ts';

/** What of a list can be mended, and what has been. */
export interface Mended {
  /** Columns that say what a row asks for; none where no run has read the list yet. */
  readonly columns: readonly MendableColumn[];
  readonly corrections: readonly KeptCorrection[];
}

export interface MendableColumn {
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
  /** A run has read the list since it was mended. */
  readonly isAsked: boolean;
}

/** A cell as somebody types it. */
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
   * holds, so that nothing is left to mend. `refused`: it can be asked for no better.
   */
  readonly kind: 'good' | 'same' | 'back' | 'refused';
  /** `57 961 803 396: ABN, check digits right`, or why it would be rejected. */
  readonly text: string;
  /** What to do about it; null where nothing is to be done. */
  readonly fix: string | null;
}

export interface KeptCell {
  readonly verdict: CellVerdict;
  readonly mended: Mended;
}

/** What asking for the mended rows would take. */
export interface MendPrice {
  readonly rows: number;
  readonly plan: Pick<RunPlan, 'calls' | 'price' | 'advisedBudget'>;
}
