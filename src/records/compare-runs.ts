import type { ReferenceNames } from '../contract/reference.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import type { ChangedPeople, ChangedRow, HowToLook, PeopleRecord } from '../ledger/run-records.ts';
import { type Run, runName } from '../ledger/runs/runs.ts';
import { findChanges } from './changes.ts';
import { type FlatRecord, positionOf } from './columns.ts';
import { type ColumnPair, comparedColumns, isSameRecord, pairColumns } from './compare-records.ts';
import { companiesColumns, flattenRow } from './flatten-row.ts';
import { mergePeople } from './merge-people.ts';
import { peopleColumns, type RecordedChange } from './table-columns.ts';

/** The published run whose records a run is held against; undefined where it is pruned. */
export function findEarlier({ runs }: Pick<Ledger, 'runs'>, run: Run): Run | undefined {
  const [earlier] = runs.comparable(run);
  return earlier?.prunedAt === null ? earlier : undefined;
}

/** The same, of a run whose changes are told: a try of the first rows has none. */
export function findBase(ledger: Pick<Ledger, 'runs'>, run: Run): Run | undefined {
  return run.rowLimit === null ? findEarlier(ledger, run) : undefined;
}

/** Whether a run has none to be compared with only because that one was pruned. */
export function isBasePruned({ runs }: Pick<Ledger, 'runs'>, run: Run): boolean {
  const [base] = run.rowLimit === null ? runs.comparable(run) : [];
  return base !== undefined && base.prunedAt !== null;
}

/** What differs between two runs of a job, as records of changes.*. */
export function* compareRuns(
  ledger: Pick<Ledger, 'records' | 'searches'>,
  { base, run }: { readonly base: Run; readonly run: Run },
  how: { readonly include: readonly string[]; readonly names: ReferenceNames },
): Generator<RecordedChange> {
  // A failure says nothing, so what it stood in the way of is compared with what was known before.
  const changed = changedBetween(ledger, base, run, { throughFailures: true });
  const changes = findChanges({
    ...how,
    ...changed,
    headersBefore: base.columns,
    headersAfter: run.columns,
  });
  const runs = { sinceRun: runName(base), run: runName(run) };
  for (const change of changes) yield { ...change, ...runs };
}

/** What a run has found as it was, with the runs in which the records became so. */
export function unchangedIn(
  ledger: Pick<Ledger, 'records' | 'searches'>,
  { base, run }: { readonly base: Run; readonly run: Run },
  names: ReferenceNames,
): { readonly rows: Iterable<UnchangedRow>; readonly people: Iterable<UnchangedPeople> } {
  const { rows, people } = changedBetween(ledger, base, run);
  return {
    rows: unchangedRows(rows, base.columns, run.columns),
    people: unchangedPeople(people, run.id, names),
  };
}

/** What may differ. A damaged answer reads as a row that failed, which is no change. */
function changedBetween(
  { records, searches }: Pick<Ledger, 'records' | 'searches'>,
  base: Run,
  run: Run,
  how: HowToLook = {},
) {
  const changed = records.changed(base, run, () => {}, how);
  // Without a new search nobody has joined or left: then no company is looked at.
  const haveSearched = base.hasPeople && run.hasPeople && searches.hasAny(base.id, run.id);
  return { rows: changed.rows(), people: haveSearched ? changed.people() : [] };
}

/*
 * What a run has found as it was. `changed_at` counts every column but those that are never compared:
 * a warehouse that takes what is new wants the new traffic, too.
 */
const everyColumn = ['*'];

export interface UnchangedRow {
  readonly rowId: number;
  /** The run in which the record became what it is. */
  readonly changedRun: number;
}

/** Rows whose records are as they were in the earlier run, of those that may differ. */
export function* unchangedRows(
  rows: Iterable<ChangedRow>,
  headersBefore: readonly string[],
  headersAfter: readonly string[],
): Generator<UnchangedRow> {
  const pairs = pairColumns(
    comparedColumns(companiesColumns(headersBefore), everyColumn),
    comparedColumns(companiesColumns(headersAfter), everyColumn),
  );
  for (const { before, after } of rows) {
    // Rows that were removed come last.
    if (!after) return;
    if (!before || before.changedRun === null) continue;
    const earlier = flattenRow(before.record, headersBefore.length).cells;
    const later = flattenRow(after.record, headersAfter.length).cells;
    if (!isSameRecord(pairs, earlier, later)) continue;
    yield { rowId: after.rowId, changedRun: before.changedRun };
  }
}

export interface UnchangedPeople extends Pick<PeopleRecord, 'companyId' | 'country'> {
  /** By the ids of people, the runs in which their records became what they are. */
  readonly changedRuns: Readonly<Record<string, number>>;
}

/** People whom a run has searched for anew and found as they were, by company. */
export function* unchangedPeople(
  companies: Iterable<ChangedPeople>,
  runId: number,
  names: ReferenceNames,
): Generator<UnchangedPeople> {
  const columns = comparedColumns(peopleColumns, everyColumn);
  const pairs = pairColumns(columns, columns);
  for (const { before, after } of companies) {
    if (!before || after?.changedRun !== runId) continue;
    const changedRuns = Object.fromEntries(earlierRuns(before, after, pairs, names));
    if (Object.keys(changedRuns).length === 0) continue;
    yield { companyId: after.companyId, country: after.country, changedRuns };
  }
}

function* earlierRuns(
  before: PeopleRecord,
  after: PeopleRecord,
  pairs: readonly ColumnPair[],
  names: ReferenceNames,
): Generator<readonly [string, number]> {
  const earlier = new Map(mergePeople(before, names).map((person) => [idOf(person), person]));
  for (const person of mergePeople(after, names)) {
    const id = idOf(person);
    const known = id === null ? undefined : earlier.get(id);
    if (id === null || !known || !isSameRecord(pairs, known, person)) continue;
    const { changedRunByPerson: byPerson } = before;
    const changedRun = Object.hasOwn(byPerson, id) ? byPerson[id] : before.changedRun;
    if (typeof changedRun === 'number') yield [id, changedRun];
  }
}

function idOf(person: FlatRecord): string | null {
  const id = person[idPosition];
  return typeof id === 'string' ? id : null;
}

const idPosition = positionOf(peopleColumns, 'person_id');
