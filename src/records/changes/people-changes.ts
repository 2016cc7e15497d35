import type { ReferenceNames } from '../../contract/reference.ts';
import type { ChangedPeople, PeopleRecord, SearchRecord } from '../../ledger/run-records.ts';
import { type Cell, type FlatRecord, positionOf } from '../columns/columns.ts';
import { peopleColumns } from '../columns/people-columns.ts';
import { mergePeople } from '../merge-people.ts';
import type { Change, ChangeOp } from './change.ts';
import { type ColumnPair, cellsOf, differenceOf } from './compare-records.ts';

/**
 * Who has joined or left a company between two runs, and of whom something else is said. Only searches
 * that both runs have made are compared: people of a company that is new in the list, or of a search
 * that is new in the job, have not joined. Where a search may not have given everybody, nobody
 * is said to be new or gone by it.
 */
export function* changesOfPeople(
  { before, after }: ChangedPeople,
  pairs: readonly ColumnPair[],
  names: ReferenceNames,
): Generator<Change> {
  if (!before || !after || after.isStale) return;
  const earlier = onlySharedSearches(before, after);
  const later = onlySharedSearches(after, before);
  const left = peopleByIdentity(mergePeople(earlier, names), pairs);
  const wasComplete = earlier.searches.every(({ isComplete }) => isComplete);
  const isComplete = later.searches.every(({ isComplete }) => isComplete);
  for (const [identity, is] of peopleByIdentity(mergePeople(later, names), pairs)) {
    const was = left.get(identity);
    left.delete(identity);
    if (was) {
      const difference = differenceOf(pairs, was, is);
      if (difference.columns.length > 0) {
        yield asChange('person_changed', after, { was, is }, difference);
      }
    } else if (wasComplete) {
      const cells = cellsOf(pairs, is, 'after');
      yield asChange('person_joined', after, { is }, { columns: [], before: null, after: cells });
    }
  }
  if (!isComplete) return;
  for (const was of left.values()) {
    const cells = cellsOf(pairs, was, 'before');
    yield asChange('person_left', after, { was }, { columns: [], before: cells, after: null });
  }
}

function onlySharedSearches(company: PeopleRecord, other: PeopleRecord): PeopleRecord {
  const made = new Set(other.searches.map(filtersOf));
  return { ...company, searches: company.searches.filter((some) => made.has(filtersOf(some))) };
}

function filtersOf({ seniority, department, position }: SearchRecord): string {
  return JSON.stringify([seniority, department, position]);
}

/**
 * People by their ids, in their order. Those without one are told by all that is said of them, and by
 * a number where several are alike.
 */
function peopleByIdentity(
  people: readonly FlatRecord[],
  pairs: readonly ColumnPair[],
): Map<string, FlatRecord> {
  const byIdentity = new Map<string, FlatRecord>();
  for (const person of people) {
    const id = person[idPosition];
    const facts = id === null ? JSON.stringify(cellsOf(pairs, person, 'after')) : `${id}`;
    let identity = `${id === null ? 'like' : 'id'} ${facts}`;
    for (let count = 2; byIdentity.has(identity); count += 1) identity = `${count} ${facts}`;
    byIdentity.set(identity, person);
  }
  return byIdentity;
}

function asChange(
  op: ChangeOp,
  company: PeopleRecord,
  { was, is }: { readonly was?: FlatRecord; readonly is?: FlatRecord },
  difference: Pick<Change, 'columns' | 'before' | 'after'>,
): Change {
  const textAt = (position: number) => asText(is?.[position]) ?? asText(was?.[position]);
  return {
    op,
    rowKey: company.rowKeys[0] ?? '',
    rowNumber: company.rows[0] ?? null,
    companyId: company.companyId,
    companyName: textAt(namePosition),
    country: company.country,
    personId: textAt(idPosition),
    ...difference,
    beforeFetchedAt: asText(was?.[fetchedPosition]),
    afterFetchedAt: asText(is?.[fetchedPosition]),
  };
}

function asText(cell: Cell | undefined): string | null {
  return typeof cell === 'string' ? cell : null;
}

const idPosition = positionOf(peopleColumns, 'person_id');
const namePosition = positionOf(peopleColumns, 'company_name');
const fetchedPosition = positionOf(peopleColumns, 'fetched_at');
