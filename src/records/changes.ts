import type { Country } from '../contract/countries.ts';
import type { ReferenceNames } from '../contract/reference.ts';
import type {
  ChangedPeople,
  PeopleRecord,
  RowRecord,
  SearchRecord,
} from '../ledger/run-records.ts';
import { type Cell, type FlatRecord, positionOf } from './columns.ts';
import {
  type ColumnPair,
  cellsOf,
  comparedColumns,
  differenceOf,
  pairColumns,
} from './compare-records.ts';
import { companiesColumns, flattenRow } from './flatten-row.ts';
import { mergePeople } from './merge-people.ts';
import { peopleColumns } from './table-columns.ts';

/** What can happen to a row, its company or a person between two runs, the list first. */
export const changeOps = [
  'row_added',
  'row_removed',
  'company_found',
  'company_lost',
  'company_replaced',
  'company_changed',
  'person_joined',
  'person_left',
  'person_changed',
] as const;
export type ChangeOp = (typeof changeOps)[number];

export type ChangeCounts = Record<ChangeOp, number>;

/** Cells by the names of their columns. A JSON cell is the value that its text holds. */
export type NamedCells = Readonly<Record<string, unknown>>;

/** One thing that differs between two runs of a job; a record of changes.*. */
export interface Change {
  readonly op: ChangeOp;
  /** Of a person: the first row that led to the company. */
  readonly rowKey: string;
  /** In the later run; of a removed row, in the earlier one. */
  readonly rowNumber: number | null;
  readonly companyId: string | null;
  readonly companyName: string | null;
  readonly country: Country | null;
  readonly personId: string | null;
  /** Columns that differ; none where a whole record came or went. */
  readonly columns: readonly string[];
  /** Null where the record is new. */
  readonly before: NamedCells | null;
  /** Null where the record is gone. */
  readonly after: NamedCells | null;
  readonly beforeFetchedAt: string | null;
  readonly afterFetchedAt: string | null;
}

export function noChanges(): ChangeCounts {
  return Object.fromEntries(changeOps.map((op) => [op, 0])) as ChangeCounts;
}

/** What may differ between two runs, as the ledger gives it, and how to look at it. */
export interface ComparedRuns {
  readonly rows: Iterable<ComparedRow>;
  readonly people: Iterable<ChangedPeople>;
  /** Names of the input's columns in the earlier run and in the later. */
  readonly headersBefore: readonly string[];
  readonly headersAfter: readonly string[];
  /** Columns that are compared only on request, by name or pattern. */
  readonly include: readonly string[];
  readonly names: ReferenceNames;
}

/** All changes: rows in the order of the list, removed ones after them, then people by company. */
export function* findChanges(runs: ComparedRuns): Generator<Change> {
  const { headersBefore, headersAfter, include, names } = runs;
  const comparison = {
    pairs: pairColumns(
      comparedColumns(companiesColumns(headersBefore), include),
      comparedColumns(companiesColumns(headersAfter), include),
    ),
    widthBefore: headersBefore.length,
    widthAfter: headersAfter.length,
  };
  for (const row of runs.rows) {
    const change = changeOfRow(row, comparison);
    if (change) yield change;
  }
  const compared = comparedColumns(peopleColumns, include);
  const pairs = pairColumns(compared, compared);
  for (const company of runs.people) yield* changesOfPeople(company, pairs, names);
}

/** A row of two runs; one side is absent where it was added or removed. */
export interface ComparedRow {
  readonly key: string;
  readonly before?: { readonly record: RowRecord } | undefined;
  readonly after?: { readonly record: RowRecord } | undefined;
}

export interface RowComparison {
  /** The compared columns of companies.* in both runs. */
  readonly pairs: readonly ColumnPair[];
  /** Numbers of input columns. */
  readonly widthBefore: number;
  readonly widthAfter: number;
}

/** What has happened to a row between two runs; undefined where nothing has, or nothing is known. */
export function changeOfRow(
  { key, before: sideBefore, after: sideAfter }: ComparedRow,
  { pairs, widthBefore, widthAfter }: RowComparison,
): Change | undefined {
  const before = sideBefore?.record;
  const after = sideAfter?.record;
  const earlier = before && flattenRow(before, widthBefore).cells;
  const later = after && flattenRow(after, widthAfter).cells;
  if (!earlier && !later) return undefined;
  const facts = { key, before, after, earlier, later };
  const difference = differenceOf(pairs, earlier, later);
  const op = opOf(facts, difference.columns.length > 0);
  return op && asChange(op, facts, difference);
}

interface RowFacts {
  readonly key: string;
  readonly before: RowRecord | undefined;
  readonly after: RowRecord | undefined;
  readonly earlier: FlatRecord | undefined;
  readonly later: FlatRecord | undefined;
}

function opOf(
  { before, after, earlier, later }: RowFacts,
  isDifferent: boolean,
): ChangeOp | undefined {
  if (!before) return 'row_added';
  if (!after) return 'row_removed';
  // An answer that did not come says nothing about the company; a stale one says what it said before.
  if (!isKnown(after) || after.isStale) return undefined;
  const hadCompany = before.status === 'matched';
  const hasCompany = after.status === 'matched';
  if (hadCompany !== hasCompany) return hasCompany ? 'company_found' : 'company_lost';
  if (!isKnown(before)) return undefined;
  if (hasCompany && earlier?.[idPosition] !== later?.[idPosition]) return 'company_replaced';
  return isDifferent ? 'company_changed' : undefined;
}

function isKnown({ status }: RowRecord): boolean {
  return status !== 'failed' && status !== 'open';
}

function asChange(
  op: ChangeOp,
  { key, before, after, earlier, later }: RowFacts,
  difference: Pick<Change, 'columns' | 'before' | 'after'>,
): Change {
  const textAt = (position: number) => asText(later?.[position]) ?? asText(earlier?.[position]);
  return {
    op,
    rowKey: key,
    rowNumber: after?.number ?? before?.number ?? null,
    companyId: textAt(idPosition),
    companyName: textAt(namePosition),
    country: after?.country ?? before?.country ?? null,
    personId: null,
    ...difference,
    beforeFetchedAt: before?.fetchedAt ?? null,
    afterFetchedAt: after?.fetchedAt ?? null,
  };
}

const columns = companiesColumns([]);
const idPosition = positionOf(columns, 'company_id');
const namePosition = positionOf(columns, 'company_name');

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
    const difference = differenceOf(pairs, was, is);
    if (!was) {
      if (wasComplete) yield personChange('person_joined', after, { is }, difference);
    } else if (difference.columns.length > 0) {
      yield personChange('person_changed', after, { was, is }, difference);
    }
  }
  if (!isComplete) return;
  for (const was of left.values()) {
    yield personChange('person_left', after, { was }, differenceOf(pairs, was, undefined));
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
    const id = person[personId];
    const facts = id === null ? JSON.stringify(cellsOf(pairs, person, 'after')) : `${id}`;
    let identity = `${id === null ? 'like' : 'id'} ${facts}`;
    for (let count = 2; byIdentity.has(identity); count += 1) identity = `${count} ${facts}`;
    byIdentity.set(identity, person);
  }
  return byIdentity;
}

function personChange(
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
    companyName: textAt(personCompany),
    country: company.country,
    personId: textAt(personId),
    ...difference,
    beforeFetchedAt: asText(was?.[fetchedPosition]),
    afterFetchedAt: asText(is?.[fetchedPosition]),
  };
}

function asText(cell: Cell | undefined): string | null {
  return typeof cell === 'string' ? cell : null;
}

const personId = positionOf(peopleColumns, 'person_id');
const personCompany = positionOf(peopleColumns, 'company_name');
const fetchedPosition = positionOf(peopleColumns, 'fetched_at');
