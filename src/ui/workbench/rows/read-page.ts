import type { Cell, Column, FlatRecord } from '../../../core/columns/columns.ts';
import type { RowRecord } from '../../../core/columns/run-records.ts';
import { inputColumns } from '../../../core/columns/table-columns.ts';
import { flattenRow, mergePeople } from '../../../core/columns/tables.ts';
import { DossierError } from '../../../core/errors.ts';
import { isReject } from '../../../core/identify/identifier.ts';
import { identifyCell } from '../../../core/identify/identify-cell.ts';
import { meantCell } from '../../../core/identify/suggest-value.ts';
import { formatNumber } from '../../../core/values/format.ts';
import { type Run, runName } from '../../../engine/ledger/runs/runs.ts';
import { mostFacetValues } from '../../words/limits.ts';
import type {
  Facets,
  RowFacts,
  RowNumbers,
  RowsPage,
  TableColumn,
  TableColumns,
  TableRow,
  WholeRow,
} from '../api/answers.ts';
import { mostInRow, type RowsQuery } from '../api/requests.ts';
import { sizeColumn, type Wanted } from './flat-table.ts';
import { numbersTo, type RunTable } from './run-table.ts';
import { labelOf, personColumns, personPresets, presetsOf, tableColumns } from './shown-columns.ts';

type OfTable = Pick<RowsQuery, 'table'>;

const isOfPeople = ({ table }: OfTable) => table === 'people';

export function readColumns({ run }: RunTable, query: OfTable): TableColumns {
  const columns = columnsOf(run, query);
  return {
    hasPeople: run.hasPeople,
    columns,
    presets: isOfPeople(query) ? personPresets : presetsOf(columns),
  };
}

function columnsOf(run: Run, query: OfTable): readonly TableColumn[] {
  return isOfPeople(query) ? personColumns : tableColumns(run);
}

/** Unknown names are left out. */
export function columnsNamed(run: Run, query: OfTable, names: Iterable<string>): TableColumn[] {
  const byName = new Map(columnsOf(run, query).map((column) => [column.name, column]));
  return [...names].flatMap((name) => byName.get(name) ?? []);
}

const queriesOf = ({ flat }: RunTable, query: OfTable) =>
  isOfPeople(query) ? flat?.people : flat?.rows;

/** Reads rows from the ledger, or from the flat table if they are searched, filtered or sorted. */
export function readPage(table: RunTable, query: RowsQuery): RowsPage {
  const { run } = table;
  const { offset, limit } = query;
  const shown = columnsNamed(run, query, query.columns);
  const queries = queriesOf(table, query);
  const isPlain = isInListOrder(query);
  const size = table.ledger.lists.size(run.listId);
  const all = isOfPeople(query) ? (queries?.count({ search: '', facets: {} }) ?? 0) : size;
  const numbers =
    query.numbers ??
    (isPlain ? numbersTo(size, offset, limit) : (queries?.find(query, offset, limit) ?? []));
  return {
    all,
    total: query.numbers?.length ?? (isPlain ? all : (queries?.count(query) ?? 0)),
    offset,
    index: table.state(isOfPeople(query)),
    columns: shown,
    rows: isOfPeople(query) ? peopleAt(table, numbers, shown) : rowsAt(table, numbers, shown),
  };
}

type Shown = readonly TableColumn[];

function peopleAt({ flat }: RunTable, lines: readonly number[], shown: Shown): TableRow[] {
  const people = flat?.peopleAt(lines) ?? [];
  return people.map(({ firstRow, record }) =>
    personRow(
      firstRow,
      shown.map(({ position }) => cutCell(record[position] ?? null, mostInTable)),
    ),
  );
}

export function personRow(number: number, cells: FlatRecord): TableRow {
  const none = { reason: null, reasonText: null, match: null, isChanged: false };
  return { ...none, number, key: '', status: 'matched', isStale: false, cells };
}

function rowsAt(table: RunTable, numbers: readonly number[], shown: Shown): TableRow[] {
  const { readRecords, run, flat } = table;
  const found = flat?.factsAt(numbers);
  const inputs = inputColumns(run.columns);
  return readRecords()
    .at(run, numbers)
    .map(({ record }) => {
      const { cells } = flattenRow(record);
      const { people = null, changed } = found?.get(record.number) ?? {};
      const own = shown.map(({ position }) =>
        position === -1 ? people : (cells[position] ?? null),
      );
      const short = own.map((cell) => cutCell(cell, mostInTable));
      const cut = shown.filter((_, at) => short[at] !== own[at]);
      return {
        ...rowFacts(record, changed),
        cells: short,
        ...(cut.length > 0 && { cut: cut.map(({ name }) => name) }),
        ...aboutIn(record, inputs),
        ...(record.status === 'invalid' && suggestionsIn(record)),
      };
    });
}

/** Only an ABN over a name corrects it. */
function suggestionsIn({ register }: RowRecord) {
  const suggestions = register?.suggestions?.filter(({ kind }) => kind === 'abn') ?? [];
  return suggestions.length > 0 ? { suggestions } : {};
}

/** The cell that missed, or a rejected one that certainly means something: `smec,com → smec.com`. */
function aboutIn({ reason, status, cells, missed = [] }: RowRecord, inputs: readonly Column[]) {
  const meant = meantCell(reason, cells);
  const [[kind, value] = []] = status === 'not_found' ? missed : [];
  const isMissed = (cell: string | null) => {
    const found = kind && identifyCell(cell ?? '', kind);
    return found && !isReject(found) && found.value === value;
  };
  const name = inputs[meant?.at ?? cells.findIndex(isMissed)]?.name;
  return name === undefined ? {} : { about: { name, ...(meant && { meant: meant.value }) } };
}

/** Longer cells are cut: a list may have cells of 10 MB. */
const mostInTable = 2_000;

function cutCell(value: Cell, most: number): Cell {
  if (Array.isArray(value)) {
    // Most values have at least ten characters, so this many values fill the limit.
    const shown = value.slice(0, most / 10);
    const left = value.length - shown.length;
    return left === 0 ? value : [...shown.map(String), `… (${formatNumber(left)} more)`];
  }
  return typeof value === 'string' ? cutText(value, most) : value;
}

function cutText(text: string, most: number) {
  if (text.length <= most) return text;
  // Half of a surrogate pair would be shown as a different character.
  const beginning = text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '');
  return `${beginning}… (${formatNumber(text.length)} characters; a download has them all)`;
}

/** A row whose cells can be corrected. */
export interface FixableRow extends Pick<RowFacts, 'number' | 'key' | 'status'> {
  readonly cells: readonly (string | undefined)[];
}

export interface FixableRows {
  readonly run: string;
  readonly columns: readonly string[];
  readonly rows: readonly FixableRow[];
}

export function readFixable(
  { readRecords, run }: RunTable,
  numbers: readonly number[],
): FixableRows {
  return {
    run: runName(run),
    columns: run.columns,
    rows: readRecords()
      .at(run, numbers)
      .map(({ record: { number, key, status, cells } }) => {
        return { number, key, status, cells: cells.map((cell) => cell ?? undefined) };
      }),
  };
}

export function rowFacts(record: RowRecord, changed: unknown): RowFacts {
  const { number, key, status, reason, message: reasonText, match, isStale } = record;
  const { entity } = record.register ?? {};
  return {
    number,
    key,
    status,
    reason,
    reasonText,
    match,
    isStale,
    isChanged: Boolean(changed),
    /** In the register, of a row with an ABN. */
    ...(entity && { registerName: entity.name }),
  };
}

/** True for the whole list in its own order, which needs no flat table. */
function isInListOrder({ search, facets, sort, table }: Wanted & OfTable) {
  const isFiltered = search.trim() !== '' || Object.values(facets).flat().length > 0;
  return !isFiltered && sort === undefined && table === undefined;
}

export function findRows(table: RunTable, query: Wanted & OfTable): RowNumbers {
  if (isInListOrder(query)) {
    return { index: null, numbers: numbersTo(table.ledger.lists.size(table.run.listId)) };
  }
  return {
    index: table.state(isOfPeople(query)),
    numbers: queriesOf(table, query)?.find(query) ?? [],
  };
}

export function readFacets(table: RunTable, query: RowsQuery): Facets {
  const { run, flat } = table;
  const { search, facets, openFacets } = query;
  const index = table.state(isOfPeople(query));
  const queries = queriesOf(table, query);
  // Counting would slow down the first filling of the table.
  if (!queries || index.share < 1) return { index, facets: [] };
  const own = isOfPeople(query) ? [] : (flat?.listFacets() ?? []);
  const isOpen = (name: string) => openFacets.includes(name) || name in facets;
  const counted = [...queries.facets, ...own.filter(isOpen)];
  const counts = queries.counts(counted, { search, facets });
  const labels = new Map(columnsOf(run, query).map(({ name, label }) => [name, label]));
  return {
    index,
    facets: [...queries.facets, ...own].flatMap((name) => {
      const chosen = facets[name] ?? [];
      const rows = counts[counted.indexOf(name)] ?? new Map<string, number>();
      for (const value of chosen) if (!rows.has(value)) rows.set(value, 0);
      const values = [...rows]
        .map(([value, count]) => ({ value, count }))
        .sort(name === sizeColumn ? bySize : byCount)
        .filter(({ value }, at) => at < mostFacetValues || chosen.includes(value));
      const isShown = values.length > 0 || own.includes(name);
      return isShown ? [{ name, label: labels.get(name) ?? labelOf(name), values }] : [];
    }),
  };
}

type Count = { readonly value: string; readonly count: number };

function byCount(one: Count, other: Count) {
  return other.count - one.count || (one.value < other.value ? -1 : 1);
}

/** `1,001-5,000` comes after `51-200`. */
function bySize(one: Count, other: Count) {
  const [least = 0, next = 0] = [one, other].map(({ value }) => {
    const [digits = ''] = /\d[\d,]*/.exec(value) ?? [];
    return Number(digits.replaceAll(',', ''));
  });
  return least - next || byCount(one, other);
}

const peopleShown = 100;

export function readWholeRow(
  { readRecords, run, flat, terms }: RunTable,
  number: number,
): WholeRow {
  const records = readRecords();
  const [recorded] = records.at(run, [number]);
  if (!recorded) throw new DossierError('RUN_MISSING', `${runName(run)} has no row ${number}`);
  const { record } = recorded;
  const { country, status, identifierKind: kind, identifier: value, missed = [] } = record;
  const company = record.company === undefined ? null : companyFields(run, record);
  const found =
    company && recorded.found && country !== null
      ? records.peopleOfRow(
          { ...run, staleMs: terms.staleMs },
          { ...recorded.found, country, number, key: record.key, cells: record.cells },
        )
      : undefined;
  const isLast = status === 'matched' || status === 'failed' || status === 'open';
  const people = found && mergePeople(found, terms.reference);
  return {
    row: rowFacts(record, flat?.factsAt([number]).get(number)?.changed),
    list: run.columns.map((header, at) => {
      const cell = record.cells[at] ?? null;
      const short = cell && cutText(cell, mostInRow);
      return { header, cell: short, isCut: short !== cell };
    }),
    country,
    identifiers: [
      ...missed.map(([kind, value]) => ({ kind, value, result: 'missed' as const })),
      ...(isLast && kind && value ? [{ kind, value, result: status }] : []),
    ],
    answer: record.fetchedAt && {
      fetchedAt: record.fetchedAt,
      service: record.service,
      isOfRun: Date.parse(record.fetchedAt) >= run.startedAt,
    },
    changedAt: record.changedAt,
    company,
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

function companyFields(run: Run, record: RowRecord) {
  const { cells } = flattenRow(record);
  const columns = tableColumns(run).filter(({ name }) => name.startsWith('company_'));
  return columns.flatMap((column) => {
    const value = cells[column.position] ?? null;
    const isEmpty = value === null || (Array.isArray(value) && value.length === 0);
    return isEmpty ? [] : [{ column, value: cutCell(value, mostInRow) }];
  });
}
