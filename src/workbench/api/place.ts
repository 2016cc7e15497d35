/** What stands in the first line of every view. */
export interface Place {
  readonly folder: string;
  readonly version: string;
  /** The page shows one run and can change nothing. */
  readonly isReadOnly: boolean;
  readonly service: {
    /** Null where sample data answers. */
    readonly host: string | null;
    readonly isSample: boolean;
    /** Whether there is a key. The key itself never leaves the server. */
    readonly hasKey: boolean;
  };
  readonly rate: number | 'none';
  readonly spent: { readonly today: Spent; readonly month: Spent };
}

export interface Spent {
  /** That may be charged. */
  readonly requests: number;
  readonly money: readonly Amount[];
}

export interface Amount {
  readonly currency: string;
  readonly amount: number;
}
