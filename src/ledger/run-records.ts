import type { Country } from '../contract/countries.ts';
import type { IdentifierKind } from '../contract/identifier-kinds.ts';
import type { Match, RecordStatus } from '../rules/outcomes.ts';

/** One row of a run as the ledger knows it, in input order. */
export interface RowRecord {
  readonly number: number;
  /** Tells the row from others of its list, in every run of the job. */
  readonly key: string;
  readonly status: RecordStatus;
  readonly reason: string | null;
  readonly message: string | null;
  readonly matchedBy: IdentifierKind | null;
  /** Kind of the identifier that was asked for last, found or not. */
  readonly askedBy: IdentifierKind | null;
  readonly identifier: string | null;
  readonly match: Match | null;
  readonly country: Country | null;
  /** ISO 8601, when the answer arrived; null where none did. */
  readonly fetchedAt: string | null;
  /** The answer is older than the job allows; it stands in for one that could not be had. */
  readonly isStale: boolean;
  /** ISO 8601, when the record last became different; null while that is not known. */
  readonly changedAt: string | null;
  /** Whether its people were all received, as far as can be told; null where none were searched. */
  readonly peopleComplete: boolean | null;
  /** Aligned with the run's input columns; a row may be shorter. */
  readonly cells: readonly (string | null)[];
  /** The company as the service answered it, not yet coerced; undefined where there is none. */
  readonly company: unknown;
}

/** One people search of a company and the pages it gave, in order. */
export interface SearchRecord {
  readonly seniority: string | null;
  readonly department: string | null;
  readonly position: string | null;
  /** Whether everybody whom it can find was received, as far as can be told. */
  readonly isComplete: boolean;
  readonly pages: readonly { readonly fetchedAt: string; readonly people: readonly unknown[] }[];
}

/** The searches of one company in one country, with the rows that asked for it. */
export interface PeopleRecord {
  readonly companyId: string;
  readonly country: Country;
  readonly rows: readonly number[];
  /** The keys of these rows, in the same order. */
  readonly rowKeys: readonly string[];
  readonly isStale: boolean;
  readonly changedAt: string | null;
  readonly searches: readonly SearchRecord[];
}

/** A row that may differ between two runs of a job; absent on the side that has no row of its key. */
export interface ChangedRow {
  readonly key: string;
  readonly before?: RowRecord;
  readonly after?: RowRecord;
}

/** The people of a company that may differ between two runs of a job. */
export interface ChangedPeople {
  readonly before?: PeopleRecord;
  readonly after?: PeopleRecord;
}

/** Rows by their numbers: those after one and up to another. */
export interface RowRange {
  readonly after: number;
  readonly upTo: number;
}

/** A row whose answer takes far more memory than others when it is written. */
export interface LargeRow {
  readonly number: number;
  /** Length of its answer. */
  readonly bytes: number;
}

/** All that an export reads of a run. Each call of `rows` or `people` starts from the beginning. */
export interface RunRecords {
  readonly inputColumns: readonly string[];
  readonly hasPeople: boolean;
  /** All rows, or those of a range. */
  rows(range?: RowRange): Iterable<RowRecord>;
  /** Companies in the order of their first row. */
  people(): Iterable<PeopleRecord>;
}
