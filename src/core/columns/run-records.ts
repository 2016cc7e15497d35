import type { Country } from '../contract/countries.ts';
import type { IdentifierKind } from '../contract/identifier-kinds.ts';
import type { Match, RecordStatus } from '../rules/outcomes.ts';

/** A run whose records are read. */
export interface RecordedRun {
  readonly id: number;
  readonly job: string;
  readonly listId: number;
  readonly columns: readonly string[];
  readonly hasPeople: boolean;
  readonly lastStartedAt: number;
  readonly finishedAt: number | null;
  /** When it ended, where the ledger does not know it as finished yet. */
  readonly endedAt?: number | undefined;
  /** Since when people may have been fetched who stand in for those of a search that did not end. */
  readonly staleSince?: number | undefined;
  /** Hears of each answer whose bytes have changed. */
  readonly onDamage?: ((answerId: number) => void) | undefined;
}

/** One row of a run as the ledger knows it, in input order. */
export interface RowRecord {
  readonly number: number;
  /** Joins the record to the list, and one night to the next. */
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
  /** Whether its people were all received, as far as can be told; null where none were searched. */
  readonly peopleComplete: boolean | null;
  /** The answer is older than the job allows: a newer one could not be had. */
  readonly isStale: boolean;
  /** ISO 8601, when the record last became different; null for a row that is open. */
  readonly changedAt: string | null;
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
  readonly rowKeys: readonly string[];
  /** The people are those of an earlier search: a newer one could not be made to its end. */
  readonly isStale: boolean;
  /** The run in which the records of people last became different, and of whom it was an earlier one. */
  readonly changedRun: number | null;
  readonly changedRunByPerson: Readonly<Record<string, number>>;
  /** When those runs ended, ISO 8601. */
  readonly changedAt: string | null;
  readonly changedAtByPerson: Readonly<Record<string, string>>;
  readonly searches: readonly SearchRecord[];
}

/** All that an export reads of a run. Each call of `rows` or `people` starts from the beginning. */
export interface RunRecords {
  readonly inputColumns: readonly string[];
  readonly hasPeople: boolean;
  /** Rows in input order. Each is read when it is asked for, as its answer may be large. */
  rows(): Iterable<RowRecord>;
  /** Companies in the order of their first row. */
  people(): Iterable<PeopleRecord>;
}

/** A row that may differ between two runs; one side is absent where it was added or removed. */
export interface ChangedRow {
  readonly key: string;
  readonly before: ChangedSide | undefined;
  readonly after: ChangedSide | undefined;
}

/** A record, and what tells where it is stored. */
export interface ChangedSide {
  readonly rowId: number;
  readonly record: RowRecord;
  /** The run in which the record last became different. */
  readonly changedRun: number | null;
  /** The run has found a company, which is suppressed or too old by now. */
  readonly isLeftOut?: boolean;
}

/** The people of a company that may differ between two runs. */
export interface ChangedPeople {
  readonly before: PeopleRecord | undefined;
  readonly after: PeopleRecord | undefined;
}
