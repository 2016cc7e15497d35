import type { Cell, Column, FlatRecord } from '../core/columns/columns.ts';
import {
  type Change,
  type ChangeCounts,
  type ChangeOp,
  type ColumnPair,
  cellsOf,
  changeOps,
  differenceOf,
  isSameRecord,
  pairColumns,
  serviceChanged,
} from '../core/columns/compare-records.ts';
import type {
  ChangedPeople,
  PeopleRecord,
  RecordedRow,
  Records,
  RowRecord,
  SearchRecord,
} from '../core/columns/run-records.ts';
import { peopleColumns, type RecordedChange } from '../core/columns/table-columns.ts';
import { companiesColumns, flattenRow, mergePeople } from '../core/columns/tables.ts';
import type { Country } from '../core/contract/countries.ts';
import type { ReferenceNames } from '../core/contract/reference.ts';
import { expiredOutcome } from '../core/rules/row-outcome.ts';
import type { Ledger } from '../engine/ledger/open-ledger.ts';
import { type Run, runName } from '../engine/ledger/runs/runs.ts';
import type { ResolvedJob } from '../job/resolved-job.ts';

export function noChanges(): ChangeCounts {
  return Object.fromEntries(changeOps.map((op) => [op, 0])) as ChangeCounts;
}

interface ComparedRow {
  readonly key: string;
  readonly before?: Pick<RecordedRow, 'record' | 'isExcluded'> | undefined;
  readonly after?: { readonly record: RowRecord } | undefined;
}

export function changeOfRow(
  { key, before: sideBefore, after: sideAfter }: ComparedRow,
  pairs: readonly ColumnPair[],
  hasServices = false,
): Change | undefined {
  const after = sideAfter?.record;
  const before = sideBefore && recordBefore(sideBefore, after);
  const was = before && flattenRow(before).cells;
  const is = after && flattenRow(after).cells;
  const difference = differenceOf(pairs, was, is);
  const isOther = was?.[rowPlaces.companyId] !== is?.[rowPlaces.companyId];
  const isOtherService = hasServices && before?.service !== after?.service;
  const isDifferent = difference.columns.length > 0;
  const op = opOf(before, after, { isOther, isOtherService, isDifferent });
  const rowNumber = (after ?? before)?.number ?? null;
  return op && { op, rowKey: key, rowNumber, ...difference, ...factsIn(rowPlaces, was, is) };
}

/** A row whose company is now suppressed counts as `company_lost`. */
function recordBefore(
  { record, isExcluded }: NonNullable<ComparedRow['before']>,
  after: RowRecord | undefined,
): RowRecord {
  const isLost = isExcluded && !isExpired(record) && after && after.status !== 'matched';
  return isLost ? { ...record, status: 'matched', reason: null, message: null } : record;
}

function opOf(
  before: RowRecord | undefined,
  after: RowRecord | undefined,
  {
    isOther,
    isOtherService,
    isDifferent,
  }: {
    readonly isOther: boolean;
    readonly isOtherService: boolean;
    readonly isDifferent: boolean;
  },
): ChangeOp | undefined {
  if (!before) return after && 'row_added';
  if (!after) return 'row_removed';
  // Failed lookups, stale answers and what `retain` hides are not news about the company.
  if (!isKnown(after) || after.isStale || [before, after].some(isExpired)) return undefined;
  const hadCompany = before.status === 'matched';
  const hasCompany = after.status === 'matched';
  if (hadCompany !== hasCompany) return hasCompany ? 'company_found' : 'company_lost';
  if (!isKnown(before)) return undefined;
  if (hasCompany && isOtherService) return serviceChanged;
  if (hasCompany && isOther) return 'company_replaced';
  return isDifferent ? 'company_changed' : undefined;
}

function isKnown({ status }: RowRecord) {
  return status !== 'failed' && status !== 'open';
}

function isExpired({ reason }: RowRecord) {
  return reason === expiredOutcome.reason;
}

function placesIn(columns: readonly Column[]) {
  const at = (name: string) => columns.findIndex((column) => column.name === name);
  return {
    companyId: at('company_id'),
    companyName: at('company_name'),
    country: at('country'),
    personId: at('person_id'),
    fetchedAt: at('fetched_at'),
  };
}

const rowPlaces = placesIn(companiesColumns([]));
const personPlaces = placesIn(peopleColumns);

function factsIn(places: typeof rowPlaces, was?: FlatRecord, is?: FlatRecord) {
  const textAt = (place: number) => asText(is?.[place]) ?? asText(was?.[place]);
  return {
    companyId: textAt(places.companyId),
    companyName: textAt(places.companyName),
    country: textAt(places.country) as Country | null,
    personId: textAt(places.personId),
    beforeFetchedAt: asText(was?.[places.fetchedAt]),
    afterFetchedAt: asText(is?.[places.fetchedAt]),
  };
}

function asText(cell: Cell | undefined) {
  return typeof cell === 'string' ? cell : null;
}

/** A new or incomplete search does not show who joined or left. */
export function* changesOfPeople(
  { before, after }: ChangedPeople,
  pairs: readonly ColumnPair[],
  reference: ReferenceNames,
): Generator<Change> {
  if (!before || !after || after.isStale) return;
  const earlier = onlySharedSearches(before, after);
  const later = onlySharedSearches(after, before);
  const left = peopleByKey(mergePeople(earlier, reference), pairs);
  const wasComplete = earlier.searches.every(({ isComplete }) => isComplete);
  const isComplete = later.searches.every(({ isComplete }) => isComplete);
  const [rowKey = ''] = after.rowKeys;
  const [rowNumber = null] = after.rows;
  const changeOf = (op: ChangeOp, was?: FlatRecord, is?: FlatRecord): Change => ({
    op,
    rowKey,
    rowNumber,
    ...differenceOf(pairs, was, is),
    ...factsIn(personPlaces, was, is),
  });
  for (const [key, is] of peopleByKey(mergePeople(later, reference), pairs)) {
    const was = left.get(key);
    left.delete(key);
    const change = changeOf(was ? 'person_changed' : 'person_joined', was, is);
    if (was ? change.columns.length > 0 : wasComplete) yield change;
  }
  if (!isComplete) return;
  for (const was of left.values()) yield changeOf('person_left', was);
}

function onlySharedSearches(company: PeopleRecord, other: PeopleRecord): PeopleRecord {
  const made = new Set(other.searches.map(filtersOf));
  return { ...company, searches: company.searches.filter((some) => made.has(filtersOf(some))) };
}

function filtersOf({ seniority, department, position }: SearchRecord) {
  return JSON.stringify([seniority, department, position]);
}

function peopleByKey(people: readonly FlatRecord[], pairs: readonly ColumnPair[]) {
  const byKey = new Map<string, FlatRecord>();
  for (const person of people) {
    const id = idOf(person);
    const key =
      id === null ? `like ${JSON.stringify(cellsOf(pairs, person, 'after'))}` : `id ${id}`;
    let unique = key;
    for (let count = 2; byKey.has(unique); count += 1) unique = `${key} ${count}`;
    byKey.set(unique, person);
  }
  return byKey;
}

export function findEarlier({ runs }: Ledger, run: Run): Run | undefined {
  const [earlier] = runs.comparable(run);
  return earlier?.prunedAt === null ? earlier : undefined;
}

export function findBase(ledger: Ledger, run: Run): Run | undefined {
  return run.kind === 'trial' ? undefined : findEarlier(ledger, run);
}

export function isBasePruned({ runs }: Ledger, run: Run): boolean {
  const [base] = run.kind === 'trial' ? [] : runs.comparable(run);
  return base !== undefined && base.prunedAt !== null;
}

interface TwoRuns {
  readonly base: Run;
  readonly run: Run;
}

export function* compareRuns(
  records: Records,
  { base, run }: TwoRuns,
  job: Pick<ResolvedJob, 'changes' | 'reference'>,
): Generator<RecordedChange> {
  const runs = { sinceRun: runName(base), run: runName(run) };
  for (const change of compareRows(records, { base, run }, job)) {
    if (change) yield { ...change, ...runs };
  }
  const pairs = pairColumns(peopleColumns, peopleColumns, job.changes.include);
  for (const company of records.changed(base, run, true).people()) {
    for (const change of changesOfPeople(company, pairs, job.reference)) {
      yield { ...change, ...runs };
    }
  }
}

/** Yields undefined for an unchanged row, so a caller can pause between rows. */
export function* compareRows(
  records: Records,
  { base, run }: TwoRuns,
  { changes }: Pick<ResolvedJob, 'changes'>,
) {
  const pairs = pairColumns(
    companiesColumns(base.columns),
    companiesColumns(run.columns),
    changes.include,
  );
  // A service may be renamed or move, so with one it is never another.
  const hasServices = [base, run].some(({ services }) => services.length > 1);
  for (const row of records.changed(base, run, true).rows())
    yield changeOfRow(row, pairs, hasServices);
}

export function unchangedIn(records: Records, { base, run }: TwoRuns, reference: ReferenceNames) {
  return {
    *rows() {
      const pairs = pairColumns(
        companiesColumns(base.columns),
        companiesColumns(run.columns),
        everyColumn,
      );
      for (const { before, after } of records.changed(base, run).rows()) {
        if (!after) return;
        if (!before || before.changedRun === null || before.isExcluded) continue;
        const earlier = flattenRow(before.record).cells;
        const later = flattenRow(after.record).cells;
        if (!isSameRecord(pairs, earlier, later)) continue;
        yield { rowId: after.rowId, changedRun: before.changedRun };
      }
    },
    *people() {
      const pairs = pairColumns(peopleColumns, peopleColumns, everyColumn);
      for (const { before, after } of records.changed(base, run).people()) {
        if (!before || after?.changedRun !== run.id) continue;
        const earlier = new Map(
          mergePeople(before, reference).map((person) => [idOf(person), person]),
        );
        const { changedRunByPerson: byPerson } = before;
        const changedRuns = mergePeople(after, reference).flatMap((person) => {
          const id = idOf(person);
          const known = earlier.get(id);
          if (id === null || !known || !isSameRecord(pairs, known, person)) return [];
          const changedRun = Object.hasOwn(byPerson, id) ? byPerson[id] : before.changedRun;
          return typeof changedRun === 'number' ? [[id, changedRun] as const] : [];
        });
        if (changedRuns.length === 0) continue;
        const { companyId, country, serviceId } = after;
        yield { companyId, country, serviceId, changedRuns: Object.fromEntries(changedRuns) };
      }
    },
  };
}

/** `changed_at` covers all columns, because incremental loads need new traffic figures too. */
const everyColumn = ['*'];

const idOf = (person: FlatRecord) => asText(person[personPlaces.personId]);
