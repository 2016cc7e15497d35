import type { RecordStatus, RowStatus } from '../../rules/outcomes.ts';
import type { ChangesInsight } from './changes-data.ts';
import type { SampledRows } from './rows-data.ts';

export interface Insight {
  readonly outcomes: readonly OutcomesOfKind[];
  readonly reasons: readonly ReasonFacts[];
  readonly matches: Readonly<
    Record<'exact' | 'alias' | 'joined' | 'mismatch' | 'unverified', number>
  >;
  /** Rows with a company, which shares of fields are shares of. */
  readonly companies: number;
  readonly countries: Ranking;
  readonly headquarters: Ranking;
  readonly industries: Ranking;
  readonly sizes: Ranking;
  readonly people: PeopleInsight | null;
  /** Null where there is no earlier run to compare with. */
  readonly changes: ChangesInsight | null;
  readonly coverage: readonly FieldGroup[];
  readonly drift: readonly DriftFacts[];
  readonly sample: SampledRows;
}

export type OutcomesOfKind = { readonly kind: string } & Readonly<Record<RecordStatus, number>>;

export interface ReasonFacts {
  readonly status: Exclude<RowStatus, 'matched'>;
  readonly reason: string;
  readonly rows: number;
  /** What is wrong, in a sentence. */
  readonly message: string;
  readonly fix: string;
  readonly examples: readonly ReasonExample[];
}

export interface ReasonExample {
  readonly row: number;
  readonly input: string;
  /** What the service said about this very row. */
  readonly message?: string;
}

/** The most frequent names, and how many there are besides. */
export interface Ranking {
  readonly entries: readonly RankedName[];
  readonly otherNames: number;
  readonly otherCount: number;
}

export interface RankedName {
  readonly name: string;
  readonly count: number;
}

export interface PeopleInsight {
  readonly total: number;
  readonly seniorities: Ranking;
  readonly departments: Ranking;
  readonly channels: readonly RankedName[];
}

export interface FieldGroup {
  readonly name: string;
  readonly fields: readonly {
    readonly name: string;
    readonly about: string;
    readonly filled: number;
  }[];
}

export interface DriftFacts {
  readonly path: string;
  readonly expected: string;
  readonly found: string;
  readonly rows: number;
  readonly firstRow: number;
}
