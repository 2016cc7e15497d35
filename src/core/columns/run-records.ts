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
  /** End of a run that is not yet marked as finished. */
  readonly endedAt?: number | undefined;
  /** Earliest fetch time of people from an earlier search. */
  readonly staleSince?: number | undefined;
  /** Called when the stored bytes of an answer have changed. */
  readonly onDamage?: ((answerId: number) => void) | undefined;
}

export interface RowRecord {
  readonly number: number;
  readonly key: string;
  readonly status: RecordStatus;
  readonly reason: string | null;
  readonly message: string | null;
  readonly matchedBy: IdentifierKind | null;
  readonly identifierKind: IdentifierKind | null;
  readonly identifier: string | null;
  readonly match: Match | null;
  readonly country: Country | null;
  /** ISO 8601 */
  readonly fetchedAt: string | null;
  readonly peopleComplete: boolean | null;
  /** The answer is older than the job allows, because fetching a newer one failed. */
  readonly isStale: boolean;
  readonly changedAt: string | null;
  /** A row may be shorter than the input columns. */
  readonly cells: readonly (string | null)[];
  /** The company as answered, before values are converted to column types. */
  readonly company: unknown;
}

export interface SearchRecord {
  readonly seniority: string | null;
  readonly department: string | null;
  readonly position: string | null;
  readonly isComplete: boolean;
  readonly pages: readonly { readonly fetchedAt: string; readonly people: readonly unknown[] }[];
}

export interface PeopleRecord {
  readonly companyId: string;
  readonly country: Country;
  readonly rows: readonly number[];
  readonly rowKeys: readonly string[];
  /** The people are from an earlier search, because the newer one did not complete. */
  readonly isStale: boolean;
  /** `changedRunByPerson` lists people who last changed in an earlier run. */
  readonly changedRun: number | null;
  readonly changedRunByPerson: Readonly<Record<string, number>>;
  readonly changedAt: string | null;
  readonly changedAtByPerson: Readonly<Record<string, string>>;
  readonly searches: readonly SearchRecord[];
}

export interface RunRecords {
  readonly inputColumns: readonly string[];
  readonly hasPeople: boolean;
  /** Lazy, because an answer may be large. */
  rows(): Iterable<RowRecord>;
  people(): Iterable<PeopleRecord>;
}

export interface ChangedSide {
  readonly rowId: number;
  readonly record: RowRecord;
  readonly changedRun: number | null;
  /** The company is left out, because it is now suppressed or too old. */
  readonly isLeftOut?: boolean;
}

export interface ChangedPeople {
  readonly before: PeopleRecord | undefined;
  readonly after: PeopleRecord | undefined;
}
