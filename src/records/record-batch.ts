import type { ReferenceNames } from '../contract/reference.ts';
import type { PeopleRecord, RowRecord } from '../ledger/run-records.ts';
import { batchesOf } from '../runtime/batches-of.ts';
import type { RecordedChange } from './columns/change-columns.ts';
import type { FlatRecord } from './columns/columns.ts';
import { type FlatRow, flattenRow } from './flatten-row.ts';
import { mergePeople } from './merge-people.ts';

/** Some rows of a run, the people of some of its companies, or changes since an earlier one. */
export interface RecordBatch {
  readonly rows: readonly FlatRow[];
  readonly people: readonly FlatRecord[];
  readonly changes: readonly RecordedChange[];
}

export function batchOfRows(rows: Iterable<RowRecord>, inputWidth: number): RecordBatch {
  return { rows: Array.from(rows, (row) => flattenRow(row, inputWidth)), people: [], changes: [] };
}

/** Batches are cut by companies: many have no people, and a batch must not take long to fill. */
const companiesInBatch = 16;

export function* batchesOfPeople(
  companies: Iterable<PeopleRecord>,
  names: ReferenceNames,
): Generator<RecordBatch> {
  let people: FlatRecord[] = [];
  let companiesRead = 0;
  for (const company of companies) {
    for (const person of mergePeople(company, names)) people.push(person);
    companiesRead += 1;
    if (companiesRead % companiesInBatch !== 0) continue;
    yield { rows: [], people, changes: [] };
    people = [];
  }
  if (people.length > 0) yield { rows: [], people, changes: [] };
}

/** Few, because a change may hold a whole record twice. */
const changesInBatch = 64;

export function* batchesOfChanges(changes: Iterable<RecordedChange>): Generator<RecordBatch> {
  for (const batch of batchesOf(changes, changesInBatch)) {
    yield { rows: [], people: [], changes: batch };
  }
}
