import type { ReferenceNames } from '../../contract/reference.ts';
import type { ChangedPeople, ChangedRow, PeopleRecord } from '../../ledger/run-records.ts';
import { type FlatRecord, positionOf } from '../columns/columns.ts';
import { peopleColumns } from '../columns/people-columns.ts';
import { companiesColumns, flattenRow } from '../flatten-row.ts';
import { mergePeople } from '../merge-people.ts';
import { type ColumnPair, isSameRecord, pairColumns } from './compare-records.ts';
import { comparedColumns } from './included-columns.ts';

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
