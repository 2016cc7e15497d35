import type { Country } from '../contract/countries.ts';
import type { IdentifierKind } from '../contract/identifier-kinds.ts';
import type { Match, RecordStatus } from '../rules/outcomes.ts';

export interface RecordedRun {
  readonly id: number;
  readonly job: string;
  readonly listId: number;
  readonly columns: readonly string[];
  readonly hasPeople: boolean;
  readonly lastStartedAt: number;
  readonly finishedAt: number | null;
  /** For a run that the ledger does not yet mark as finished. */
  readonly endedAt?: number | undefined;
  /** Earliest fetch time of people reused because a search did not complete. */
  readonly staleSince?: number | undefined;
  /** Called for each answer whose stored bytes have changed. */
  readonly onDamage?: ((answerId: number) => void) | undefined;
}

export interface RowRecord {
  readonly number: number;
  readonly key: string;
  readonly status: RecordStatus;
  readonly reason: string | null;
  readonly message: string | null;
  readonly matchedBy: IdentifierKind | null;
  /** Kind of the last identifier looked up, found or not. */
  readonly identifierKind: IdentifierKind | null;
  readonly identifier: string | null;
  readonly match: Match | null;
  readonly country: Country | null;
  /** ISO 8601 arrival time; null without an answer. */
  readonly fetchedAt: string | null;
  /** Null if no people were searched. */
  readonly peopleComplete: boolean | null;
  /** The answer is older than the job allows, and fetching a newer one failed. */
  readonly isStale: boolean;
  readonly changedAt: string | null;
  /** In the order of the input columns. A row may be shorter. */
  readonly cells: readonly (string | null)[];
  /** The answer before coercion; undefined without a company. */
  readonly company: unknown;
}

export interface SearchRecord {
  readonly seniority: string | null;
  readonly department: string | null;
  readonly position: string | null;
  /** Whether everyone it can find was received, as far as Dossier knows. */
  readonly isComplete: boolean;
  readonly pages: readonly { readonly fetchedAt: string; readonly people: readonly unknown[] }[];
}

export interface PeopleRecord {
  readonly companyId: string;
  readonly country: Country;
  readonly rows: readonly number[];
  readonly rowKeys: readonly string[];
  /** The people come from an earlier search, because the newer one did not complete. */
  readonly isStale: boolean;
  /** Run in which people last changed. `changedRunByPerson` lists people who last changed in an earlier run. */
  readonly changedRun: number | null;
  readonly changedRunByPerson: Readonly<Record<string, number>>;
  readonly changedAt: string | null;
  readonly changedAtByPerson: Readonly<Record<string, string>>;
  readonly searches: readonly SearchRecord[];
}

/** Each call of `rows` or `people` starts from the beginning. */
export interface RunRecords {
  readonly inputColumns: readonly string[];
  readonly hasPeople: boolean;
  /** In input order. Rows are read lazily, because an answer may be large. */
  rows(): Iterable<RowRecord>;
  /** In the order of each company's first row. */
  people(): Iterable<PeopleRecord>;
}

export interface ChangedRow {
  readonly key: string;
  readonly before: ChangedSide | undefined;
  readonly after: ChangedSide | undefined;
}

export interface ChangedSide {
  readonly rowId: number;
  readonly record: RowRecord;
  readonly changedRun: number | null;
  /** The run found a company that is now suppressed or too old. */
  readonly isLeftOut?: boolean;
}

export interface ChangedPeople {
  readonly before: PeopleRecord | undefined;
  readonly after: PeopleRecord | undefined;
}
