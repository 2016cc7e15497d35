import type { Country } from '../contract/countries.ts';
import type { IdentifierKind } from '../contract/identifier-kinds.ts';
import type { RegisterSource, RowRegister } from '../names/row-register.ts';
import type { RowCandidate } from '../rules/next-candidate.ts';
import type { Match, RecordStatus } from '../rules/outcomes.ts';

export interface RecordedRun {
  readonly id: number;
  readonly job: string;
  readonly listId: number;
  readonly columns: readonly string[];
  readonly hasPeople: boolean;
  /** See `serviceIdentity`. */
  readonly services: readonly string[];
  /** Null without a register. */
  readonly registerSources: readonly RegisterSource[] | null;
  readonly lastStartedAt: number;
  readonly finishedAt: number | null;
  /** How old the people of an earlier search may be that replace a failed one, by service. */
  readonly staleMs?: Readonly<Record<string, number>>;
  readonly onDamage?: ((answerId: number) => void) | undefined;
  /** Rows have companies as answered, never flat ones. */
  readonly hasWholeCompanies?: boolean;
}

export interface RowRecord {
  readonly number: number;
  readonly key: string;
  readonly status: RecordStatus;
  readonly reason: string | null;
  readonly message: string | null;
  readonly matchedBy: IdentifierKind | 'name' | null;
  readonly identifierKind: IdentifierKind | null;
  readonly identifier: string | null;
  /** What was looked up and not found, in this order. Absent if nothing was. */
  readonly missed?: readonly RowCandidate[];
  /** The value that a rejected cell certainly means. */
  readonly meant?: string | undefined;
  readonly match: Match | null;
  readonly country: Country | null;
  readonly fetchedAt: string | null;
  readonly peopleComplete: boolean | null;
  /** The name of the service that answered. */
  readonly service?: string | null;
  /** Names of the services that missed all identifiers. */
  readonly tried?: readonly string[] | null;
  /** Absent if the run used no register. */
  readonly register?: RowRegister;
  /** The answer is older than the job allows. */
  readonly isStale: boolean;
  readonly changedAt: string | null;
  /** May have fewer cells than the input has columns. */
  readonly cells: readonly (string | null)[];
  /** A `FlatCompany`, or in the fields of `Company`, before conversion to column types. */
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
  /** The service that gave the id; see `RowRecord`. */
  readonly service?: string | null;
  readonly serviceId: number;
  readonly country: Country;
  readonly rows: readonly number[];
  readonly rowKeys: readonly string[];
  /** The company's name in the first of `rows`. */
  readonly listCompany: string | null;
  /** From an earlier search, because the newer one did not complete. */
  readonly isStale: boolean;
  /** Run of the last change; `changedRunByPerson` has the people who last changed before it. */
  readonly changedRun: number | null;
  readonly changedRunByPerson: Readonly<Record<string, number>>;
  readonly changedAt: string | null;
  readonly changedAtByPerson: Readonly<Record<string, string>>;
  readonly searches: readonly SearchRecord[];
}

export interface RunRecords {
  readonly inputColumns: readonly string[];
  readonly hasPeople: boolean;
  /** Several services were asked, so outputs name them. */
  readonly hasServices?: boolean;
  readonly hasRegister?: boolean;
  /** Lazy, because an answer may be large. */
  rows(): Iterable<RowRecord>;
  people(): Iterable<PeopleRecord>;
}

export interface RecordedRow {
  readonly rowId: number;
  readonly record: RowRecord;
  readonly changedRun: number | null;
  /** The company is now suppressed, or its answer is older than `retain` allows. */
  readonly isExcluded?: boolean;
  /** The company that was found, and at which service. */
  readonly found?: Pick<PeopleRecord, 'companyId' | 'serviceId'> | undefined;
}

/** At least one side is there. */
export interface ChangedRow {
  readonly key: string;
  readonly before: RecordedRow | undefined;
  readonly after: RecordedRow | undefined;
}

export interface ChangedPeople {
  readonly before: PeopleRecord | undefined;
  readonly after: PeopleRecord | undefined;
}

/** A row, and the company that was found for it. */
export type OpenedRow = Pick<PeopleRecord, 'companyId' | 'country' | 'serviceId'> &
  Pick<RowRecord, 'number' | 'key' | 'cells'>;

/** How a result differs from an earlier one in which unchanged rows have the same numbers. */
export interface Difference {
  /** Rows of the earlier list. */
  readonly rowsBefore: number;
  /** Changed rows in the order of their numbers. One side is missing if its list ends earlier. */
  changed(): Iterable<Pick<ChangedRow, 'before' | 'after'>>;
  /** Rows in order; those of `SameRows` are as they were. */
  rows(): Iterable<RowRecord | SameRows>;
}

export interface SameRows {
  readonly first: number;
  readonly last: number;
}

/** What runs show, without what a reader excludes. */
export interface Records {
  ofRun(run: RecordedRun, onDamage: RecordedRun['onDamage']): RunRecords;
  /** Before `at` reads a run that may have gone on: its open rows are read only once. */
  refresh(): void;
  at(run: RecordedRun, numbers: readonly number[]): RecordedRow[];
  /** Undefined if most rows have to be read anyway. */
  difference(earlier: RecordedRun, run: RecordedRun): Difference | undefined;
  peopleOfRow(run: RecordedRun, row: OpenedRow): PeopleRecord | undefined;
  /** `throughFailures`: of a row that failed in `base`, what was last published counts. */
  changed(
    base: RecordedRun,
    run: RecordedRun,
    throughFailures?: boolean,
  ): { rows(): Iterable<ChangedRow>; people(): Iterable<ChangedPeople> };
}
