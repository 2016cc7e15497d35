import type { ChangeCounts } from '../../records/changes.ts';

export interface ChangesInsight {
  /** `r29`, the run that was compared with. */
  readonly since: string;
  readonly counts: Readonly<ChangeCounts>;
  /** Columns that changed most, with a few examples. */
  readonly fields: readonly ChangedField[];
  readonly otherFields: number;
  /** The first of each kind; the file has all. */
  readonly shown: Readonly<Record<ShownOp, readonly ShownChange[]>>;
  readonly file: string;
}

export type ShownOp =
  | 'row_added'
  | 'row_removed'
  | 'company_lost'
  | 'company_replaced'
  | 'company_found'
  | 'person_joined'
  | 'person_left';

export interface ChangedField {
  readonly column: string;
  readonly count: number;
  /** Before and after are empty where there was nothing. */
  readonly examples: readonly {
    readonly name: string;
    readonly before: string;
    readonly after: string;
  }[];
}

export interface ShownChange {
  readonly rowKey: string;
  /** Of the company. */
  readonly name: string;
  /** The company that another has replaced. */
  readonly nameBefore?: string;
  readonly reason?: string;
  readonly person?: string;
}
