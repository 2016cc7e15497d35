import type { Cell } from '../../../core/columns/columns.ts';
import type { ChangedSide } from '../../../core/columns/run-records.ts';
import { flattenRow, mergePeople } from '../../../core/columns/tables.ts';
import { DossierError } from '../../../core/errors.ts';
import { type Run, runName } from '../../../engine/ledger/runs/runs.ts';
import { explainReason } from '../../report/report-data.ts';
import { mostInRow, type RowsQuery, type TableColumn, type TableRow } from '../api.ts';
import { fold, isMismatch, type Wanted } from './flat-table.ts';
import { changeBase, type RunTable } from './run-table.ts';
import {
  isCompanyHeader,
  labelOf,
  nameColumn,
  personColumns,
  personPresets,
  presetsOf,
  tableColumns,
} from './table-columns.ts';

/** Of which table a request is. */
type OfTable = Pick<RowsQuery, 'table'>;

const isOfPeople = ({ table }: OfTable) => table === 'people';

export function readColumns({ run }: RunTable, query: OfTable) {
  const columns = columnsOf(run, query);
  return {
    run: runName(run),
    hasPeople: run.hasPeople,
    /** The list's own first, in its order, then ours, then the company's by groups. */
    columns,
    /** The first is the default. */
    presets: isOfPeople(query) ? personPresets : presetsOf(columns),
  };
}

function columnsOf(run: Run, query: OfTable): readonly TableColumn[] {
  return isOfPeople(query) ? personColumns : tableColumns(run);
}

const queriesOf = ({ flat }: RunTable, query: OfTable) =>
  isOfPeople(query) ? flat?.people : flat?.rows;

/** A page of the table: by the ledger alone, or by the flat table where it is searched, filtered or sorted. */
export function readPage(table: RunTable, query: RowsQuery) {
  const { run } = table;
  const { offset, limit } = query;
  const byName = new Map(columnsOf(run, query).map((column) => [column.name, column]));
  const shown = query.columns.flatMap((name) => byName.get(name) ?? []);
  const queries = queriesOf(table, query);
  const wanted = wantedBy(query);
  const size = table.ledger.lists.size(run.listId);
  const all = isOfPeople(query) ? (queries?.count({ search: '', facets: {} }) ?? 0) : size;
  const numbers =
    query.numbers ??
    (wanted ? (queries?.find(wanted, offset, limit) ?? []) : numbersTo(size, offset, limit));
  return {
    run: runName(run),
    /** Rows of the list. */
    all,
    /** Rows that fit search and facets. */
    total: query.numbers?.length ?? (wanted ? (queries?.count(wanted) ?? 0) : all),
    offset,
    index: table.state(isOfPeople(query)),
    /** What the cells of the rows are, in their order. */
    columns: shown,
    rows: isOfPeople(query) ? peopleAt(table, numbers, shown) : rowsAt(table, numbers, shown),
  };
}

type Shown = readonly TableColumn[];

function peopleAt({ flat }: RunTable, lines: readonly number[], shown: Shown): TableRow[] {
  const people = flat?.peopleAt(lines) ?? [];
  return people.map(({ firstRow: number, record }) => ({
    ...{ number, key: '', status: 'matched' as const, reason: null, reasonText: null, match: null },
    ...{ isStale: false, isMismatch: false, isChanged: null },
    cells: shown.map(({ position }) => cutCell(record[position] ?? null, mostInTable)),
  }));
}

function rowsAt(table: RunTable, numbers: readonly number[], shown: Shown): TableRow[] {
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

function isCut(value: Cell, most: number): boolean {
  return typeof value === 'string' && value.length > most;
}

/** Of a long cell the beginning, and how long it is: `xxxxx… (1,000,000 characters; a download has them all)` */
function cutCell(value: Cell, most: number): Cell {
  if (Array.isArray(value)) {
    // Values have ten characters or more.
    const shown = value.slice(0, most / 10);
    const left = value.length - shown.length;
    return left === 0 ? value : [...shown.map(String), `… (${left.toLocaleString('en')} more)`];
  }
  return typeof value === 'string' ? cutText(value, most) : value;
}

function cutText(text: string, most: number): string {
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

/** The query, if the flat table answers it; undefined for the whole list in its own order. */
function wantedBy<Query extends Wanted & OfTable>(query: Query): Query | undefined {
  const { search, facets, sort } = query;
  const isFiltered = search.trim() !== '' || Object.values(facets).some(({ length }) => length > 0);
  return isFiltered || sort !== undefined || isOfPeople(query) ? query : undefined;
}

/** The numbers of rows after an offset, up to the size of the list. */
function numbersTo(size: number, offset = 0, limit = size): number[] {
  const length = Math.max(0, Math.min(limit, size - offset));
  return Array.from({ length }, (_, at) => offset + at + 1);
}

/** The rows or people that fit, in their order. */
export function findRows(table: RunTable, query: Wanted & OfTable) {
  const wanted = wantedBy(query);
  return {
    index: wanted ? table.state(isOfPeople(query)) : null,
    numbers: wanted
      ? (queriesOf(table, query)?.find(wanted) ?? [])
      : numbersTo(table.ledger.lists.size(table.run.listId)),
  };
}

/** Values of one facet that are listed. */
const mostValues = 200;

export function readFacets(table: RunTable, query: RowsQuery) {
  const { run, flat } = table;
  const { search, facets, open } = query;
  const index = table.state(isOfPeople(query));
  const queries = queriesOf(table, query);
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
        .map(([value, count]) => ({ value, count, label: valueLabel(name, value) }))
        .sort((one, other) => other.count - one.count || (one.value < other.value ? -1 : 1))
        .filter(({ value }, at) => at < mostValues || chosen.includes(value));
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

const peopleShown = 100;

/** All that the ledger knows of one row of a run. */
export function readWholeRow({ ledger, run, terms: { names, staleMs } }: RunTable, number: number) {
  const [side] = ledger.records.at(run, [number]);
  const trail = ledger.records.trail(run, number);
  if (!side || !trail) {
    throw new DossierError('RUN_MISSING', `${runName(run)} has no row ${number}`);
  }
  const { record } = side;
  const { companyId, country } = trail;
  const company = record.company === undefined ? null : companyFields(run, side);
  const found =
    company && companyId !== null && country !== null
      ? ledger.records.peopleOfRow(
          { ...run, staleSince: run.lastStartedAt - staleMs },
          { companyId, country, number, key: record.key },
        )
      : undefined;
  const people = found && mergePeople(found, names);
  return {
    run: runName(run),
    row: rowFacts(side, changeBase(ledger, run)?.id),
    /** Its own cells, under the list's own headers. */
    list: run.columns.map((header, at) => {
      const cell = record.cells[at] ?? null;
      return { header, cell: cell && cutText(cell, mostInRow), isCut: isCut(cell, mostInRow) };
    }),
    country: record.country as string | null,
    /** What it could be found by, best first, and what each has brought. */
    identifiers: trail.candidates,
    fetchedAt: record.fetchedAt,
    changedAt: record.changedAt,
    /** The filled fields; null where the row has no company, or its answer is damaged, which `row.reason` says. */
    company,
    /** The name in the list, where the found company has quite another one. */
    otherName: otherName(run.columns, record.cells, company),
    people:
      found && people
        ? {
            isComplete: record.peopleComplete === true,
            isStale: found.isStale,
            total: people.length,
            columns: personColumns,
            people: people.slice(0, peopleShown),
          }
        : null,
  };
}

function companyFields(run: Run, { record }: ChangedSide) {
  const { cells } = flattenRow(record, run.columns.length);
  const columns = tableColumns(run).filter(({ name }) => name.startsWith('company_'));
  return columns.flatMap((column) => {
    const value = cells[column.position] ?? null;
    const isEmpty = value === null || (Array.isArray(value) && value.length === 0);
    return isEmpty ? [] : [{ column, value: cutCell(value, mostInRow) }];
  });
}

/** The list's own name of a company, where it has no word in common with the found one. */
function otherName(
  headers: readonly string[],
  cells: readonly (string | null)[],
  company: ReturnType<typeof companyFields> | null,
): string | null {
  const found = company?.find(({ column }) => column.name === 'company_name')?.value;
  const at = nameColumn(headers);
  const own = isCompanyHeader(headers[at] ?? '') ? (cells[at] ?? '').trim() : '';
  const words = wordsOf(String(found ?? ''));
  const isOther = own !== '' && !wordsOf(own).some((word) => words.includes(word));
  return isOther && words.length > 0 ? own : null;
}

/** The words that tell a company from others. */
function wordsOf(name: string): string[] {
  const words = fold(name).match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.filter((word) => !commonWords.includes(word));
}

const commonWords =
  'a and the of pty ltd limited inc llc co company corp group gmbh holdings'.split(' ');
