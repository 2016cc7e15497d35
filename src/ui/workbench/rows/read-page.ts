import type { ChangedSide } from '../../../core/columns/run-records.ts';
import { flattenRow } from '../../../core/columns/tables.ts';
import { DossierError } from '../../../core/errors.ts';
import { type Run, runName } from '../../../engine/ledger/runs/runs.ts';
import { explainReason } from '../../report/report-data.ts';
import type {
  CellValue,
  Facets,
  RowNumbers,
  RowsPage,
  RowsQuery,
  TableColumns,
  TableRow,
} from '../api/rows.ts';
import { isMismatch } from './flat-row.ts';
import type { Wanted } from './flat-table.ts';
import { changeBase, type RunTable } from './run-table.ts';
import {
  labelOf,
  type PlacedColumn,
  personColumns,
  personPresets,
  presetsOf,
  tableColumns,
} from './table-columns.ts';

/** Of which table a request is. */
type OfTable = Pick<RowsQuery, 'table'>;

const isOfPeople = ({ table }: OfTable) => table === 'people';

export function readColumns({ run }: RunTable, query: OfTable): TableColumns {
  const columns = columnsOf(run, query);
  return {
    run: runName(run),
    hasPeople: run.hasPeople,
    columns: columns.map(withoutPosition),
    presets: isOfPeople(query) ? personPresets : presetsOf(columns),
  };
}

function columnsOf(run: Run, query: OfTable): readonly PlacedColumn[] {
  return isOfPeople(query) ? personColumns : tableColumns(run);
}

/** A page of the table: by the ledger alone, or by the flat table where it is searched, filtered or sorted. */
export function readPage(table: RunTable, query: RowsQuery): RowsPage {
  const { run, flat } = table;
  const { offset, limit } = query;
  const byName = new Map(columnsOf(run, query).map((column) => [column.name, column]));
  const shown = query.columns.flatMap((name) => byName.get(name) ?? []);
  const queries = isOfPeople(query) ? flat?.people : flat?.rows;
  const wanted = wantedBy(run, query);
  const size = table.ledger.lists.size(run.listId);
  const all = isOfPeople(query) ? (queries?.count({ search: '', facets: {} }) ?? 0) : size;
  const numbers =
    query.numbers ??
    (wanted ? (queries?.find(wanted, offset, limit) ?? []) : numbersTo(size, offset, limit));
  return {
    run: runName(run),
    all,
    total: query.numbers?.length ?? (wanted ? (queries?.count(wanted) ?? 0) : all),
    offset,
    index: table.state(isOfPeople(query)),
    columns: shown.map(withoutPosition),
    rows: isOfPeople(query) ? peopleAt(table, numbers, shown) : rowsAt(table, numbers, shown),
  };
}

function peopleAt({ flat }: RunTable, lines: readonly number[], shown: readonly PlacedColumn[]) {
  const people = flat?.peopleAt(lines) ?? [];
  return people.map(({ firstRow: number, record }) => ({
    ...{ number, key: '', status: 'matched' as const, reason: null, reasonText: null, match: null },
    ...{ isStale: false, isMismatch: false, isChanged: null },
    cells: shown.map(({ position }) => cutCell(record[position] ?? null, mostInTable)),
  }));
}

function rowsAt(table: RunTable, numbers: readonly number[], shown: readonly PlacedColumn[]) {
  const { ledger, run, flat } = table;
  const baseId = changeBase(ledger, run)?.id;
  const people = run.hasPeople ? flat?.peopleCounts(numbers) : undefined;
  return ledger.records.at(run, numbers).map((side) => {
    const { cells } = flattenRow(side.record, run.columns.length);
    const own = shown.map(({ position }) =>
      position === -1 ? (people?.get(side.record.number) ?? null) : (cells[position] ?? null),
    );
    const cut = shown.filter((_, at) => isCut(own[at] ?? null, mostInTable));
    return {
      ...rowFacts(side, baseId),
      cells: own.map((cell) => cutCell(cell, mostInTable)),
      ...(cut.length > 0 && { cut: cut.map(({ name }) => name) }),
    };
  });
}

/** Characters of a cell that the table gets. A row of it shows a line, and a list may have cells of 10 MB. */
const mostInTable = 2_000;
/** In the view of one row, where a cell can be fixed as long as it is whole. */
export const mostInRow = 100_000;

export function isCut(value: CellValue, most: number): boolean {
  return typeof value === 'string' && value.length > most;
}

/** Of a long cell the beginning, and how long it is: `xxxxx… (1,000,000 characters; a download has them all)` */
export function cutCell(value: CellValue, most: number): CellValue {
  if (Array.isArray(value)) {
    // Values have ten characters or more.
    const shown = value.slice(0, most / 10);
    const left = value.length - shown.length;
    return left === 0 ? value : [...shown.map(String), `… (${left.toLocaleString('en')} more)`];
  }
  return typeof value === 'string' ? cutText(value, most) : value;
}

export function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  // Half of a character that takes two places would be shown as another.
  const beginning = text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '');
  return `${beginning}… (${text.length.toLocaleString('en')} characters; a download has them all)`;
}

/** Rows with their whole cells, as they are fixed. */
export type FixableRow = ReturnType<typeof readFixable>['rows'][number];

export function readFixable({ ledger, run }: RunTable, numbers: readonly number[]) {
  return {
    run: runName(run),
    columns: run.columns,
    rows: ledger.records.at(run, numbers).map(({ record: { number, key, status, cells } }) => {
      return { number, key, status, cells: cells.map((cell) => cell ?? undefined) };
    }),
  };
}

/** What the table shows of a row besides its cells. */
export function rowFacts(
  { record, changedRun }: ChangedSide,
  baseId: number | undefined,
): Omit<TableRow, 'cells'> {
  const { number, key, status, reason, message, match, isStale } = record;
  return {
    ...{ number, key, status, reason, reasonText: message, match, isStale },
    isMismatch: isMismatch(record),
    isChanged: baseId === undefined ? null : (changedRun ?? 0) > baseId,
  };
}

/** What the flat table is asked for; undefined for the whole list in its own order. */
function wantedBy(run: Run, query: Wanted & OfTable): Wanted | undefined {
  const { search, facets, sort } = query;
  if (sort !== undefined) {
    const isSortable = columnsOf(run, query).some((one) => one.name === sort && one.isSortable);
    if (!isSortable) throw new DossierError('USAGE', `the table cannot be sorted by ${sort}`);
    return query;
  }
  const isFiltered = search.trim() !== '' || Object.values(facets).some(({ length }) => length > 0);
  return isFiltered || isOfPeople(query) ? query : undefined;
}

export function withoutPosition({ position: _, ...column }: PlacedColumn) {
  return column;
}

/** The numbers of rows after an offset, up to the size of the list. */
function numbersTo(size: number, offset = 0, limit = size): number[] {
  const length = Math.max(0, Math.min(limit, size - offset));
  return Array.from({ length }, (_, at) => offset + at + 1);
}

/** The rows or people that fit, in their order. */
export function findRows(table: RunTable, query: Wanted & OfTable): RowNumbers {
  const { run, flat, ledger } = table;
  const wanted = wantedBy(run, query);
  if (!wanted) return { index: null, numbers: numbersTo(ledger.lists.size(run.listId)) };
  const queries = isOfPeople(query) ? flat?.people : flat?.rows;
  return { index: table.state(isOfPeople(query)), numbers: queries?.find(wanted) ?? [] };
}

/** Values of one facet that are listed. */
const mostValues = 200;

export function readFacets(table: RunTable, query: RowsQuery): Facets {
  const { run, flat } = table;
  const { search, facets, open } = query;
  const index = table.state(isOfPeople(query));
  const queries = isOfPeople(query) ? flat?.people : flat?.rows;
  // Counting while the table is first filled would take most of the time from filling it.
  if (!queries || index.share < 1) return { run: runName(run), index, facets: [] };
  const own = isOfPeople(query) ? [] : (flat?.listFacets() ?? []);
  const isOpen = (name: string) => open.includes(name) || name in facets;
  const counted = [...queries.facets, ...own.filter(isOpen)];
  const counts = queries.counts(counted, { search, facets });
  const labels = new Map(columnsOf(run, query).map(({ name, label }) => [name, label]));
  return {
    run: runName(run),
    index,
    facets: [...queries.facets, ...own].flatMap((name) => {
      const chosen = facets[name] ?? [];
      const rows = counts[counted.indexOf(name)] ?? new Map<string, number>();
      for (const value of chosen) if (!rows.has(value)) rows.set(value, 0);
      const values = [...rows]
        .map(([value, count]) => ({ value, count, isChosen: chosen.includes(value) }))
        .sort((one, other) => other.count - one.count || (one.value < other.value ? -1 : 1))
        .filter(({ isChosen }, place) => isChosen || place < mostValues)
        .map((value) => ({ ...value, label: valueLabel(name, value.value) }));
      const isShown = values.length > 0 || own.includes(name);
      return isShown ? [{ name, label: labels.get(name) ?? labelOf(name), values }] : [];
    }),
  };
}

/** A reason is shown as a sentence; the page knows what outcomes and identifiers are called. */
function valueLabel(name: string, value: string): string {
  if (name !== 'reason') return value;
  return explainReason({ status: 'failed', reason: value, rows: 0, examples: [] }).message || value;
}
