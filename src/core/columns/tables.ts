import type { ReferenceNames } from '../contract/reference.ts';
import { isRecord } from '../values/parse-json.ts';
import { type Cell, type Column, type FlatRecord, makeUnique, ownColumn } from './columns.ts';
import { fillCompany } from './company-cells.ts';
import { FlatCompany } from './flat-company.ts';
import { flattenObject } from './flatten-answer.ts';
import type { PeopleRecord, RowRecord, RunRecords, SameRows, SearchRecord } from './run-records.ts';
import {
  changeColumns,
  companyColumns,
  type FoundPerson,
  inputColumns,
  peopleColumns,
  personFields,
  personIdIndex,
  type RecordedChange,
  registerColumns,
  rejectColumns,
  rowColumns,
} from './table-columns.ts';

export interface FlatRow {
  readonly row: RowRecord;
  readonly cells: FlatRecord;
  /** Values of the company that fit no cell. */
  readonly extra?: unknown;
}

export function flattenRow(row: RowRecord, inputWidth = row.cells.length): FlatRow {
  const { company } = row;
  if (company instanceof FlatCompany) return new CopiedRow(row, company, inputWidth);
  const cells = rowCells(row, inputWidth);
  const extra = fillCompany(company, cells, companyOffset);
  return { row, cells, extra };
}

function rowCells(row: RowRecord, inputWidth: number) {
  const cells = new Array<Cell>(inputOffset + inputWidth).fill(null);
  for (const [position, { value }] of rowColumns.entries()) cells[position] = value(row);
  if (row.register?.entity) {
    for (const [index, { value }] of registerColumns.entries())
      cells[registerOffset + index] = value(row);
  }
  for (let index = 0; index < inputWidth; index += 1) {
    cells[inputOffset + index] = row.cells[index] ?? null;
  }
  return cells;
}

/** Reads cells of the company only for sinks that cannot copy all of them. */
export class CopiedRow implements FlatRow {
  readonly row: RowRecord;
  readonly company: FlatCompany;
  private readonly inputWidth: number;
  private all: FlatRecord | undefined;

  constructor(row: RowRecord, company: FlatCompany, inputWidth: number) {
    this.row = row;
    this.company = company;
    this.inputWidth = inputWidth;
  }

  get cells(): FlatRecord {
    this.all ??= this.readCells();
    return this.all;
  }

  get extra(): unknown {
    const text = this.company.hasMisfits ? this.cells[registerOffset - 1] : undefined;
    return typeof text === 'string' ? JSON.parse(text) : undefined;
  }

  /** The cells before the company's and after them. */
  get around(): readonly [FlatRecord, FlatRecord] {
    const { row, inputWidth } = this;
    const inputs = Array.from({ length: inputWidth }, (_, index) => row.cells[index] ?? null);
    const own = row.register ? registerColumns.map(({ value }) => value(row)) : [];
    return [rowColumns.map(({ value }) => value(row)), [...own, ...inputs]];
  }

  private readCells() {
    const cells = rowCells(this.row, this.inputWidth);
    this.company.fill(cells, companyOffset);
    return cells;
  }
}

/** Input columns come last, so adding one does not move any other column. */
export function companiesColumns(headers: readonly string[]): Column[] {
  return [...rowColumns, ...companyColumns, ...registerColumns, ...inputColumns(headers)];
}

export const companyOffset = rowColumns.length;

const registerOffset = companyOffset + companyColumns.length;

export const inputOffset = registerOffset + registerColumns.length;

export function isOfRegister(position: number): boolean {
  return position >= registerOffset && position < inputOffset;
}

/** Input columns keep their names and order, so a fixed rejects file can be run again. */
export function rejectsColumns(headers: readonly string[]): Column[] {
  const ours = makeUnique(
    rejectColumns.map(({ name }) => name),
    { taken: headers },
  );
  return [
    ...headers.map((name) => ownColumn(name, 'text', `Column \`${name}\` of the input.`)),
    ...rejectColumns.map((column, index) => ({ ...column, name: ours[index] ?? column.name })),
  ];
}

function toRejectRecord(flat: FlatRow): FlatRecord | undefined {
  const { row } = flat;
  if (['matched', 'open', 'suppressed'].includes(row.status)) return undefined;
  return [...flat.cells.slice(inputOffset), ...rejectColumns.map(({ value }) => value(row))];
}

export interface RunRecord {
  readonly row?: FlatRow | undefined;
  /** Rows that an earlier file has in the same form. */
  readonly same?: SameRows | undefined;
  readonly person?: FlatRecord | undefined;
  /** That found the company of the person. */
  readonly service?: string | null | undefined;
  readonly change?: RecordedChange | undefined;
}

export const tables = {
  companies: { columns: companiesColumns, record: ({ row }) => row?.cells },
  people: { columns: () => peopleColumns, record: ({ person }) => person },
  rejects: { columns: rejectsColumns, record: ({ row }) => row && toRejectRecord(row) },
  changes: {
    columns: () => changeColumns,
    record: ({ change }) => change && changeColumns.map(({ value }) => value(change)),
  },
} as const satisfies Record<
  string,
  {
    readonly columns: (headers: readonly string[]) => readonly Column[];
    readonly record: (source: RunRecord) => FlatRecord | undefined;
  }
>;

export type TableName = keyof typeof tables;

export function* recordsOfRun(
  records: RunRecords,
  changes: Iterable<RecordedChange>,
  reference: ReferenceNames,
  rows: Iterable<RowRecord | SameRows> = records.rows(),
): Generator<RunRecord> {
  const width = records.inputColumns.length;
  for (const row of rows) yield 'last' in row ? { same: row } : { row: flattenRow(row, width) };
  if (records.hasPeople) {
    for (const company of records.people()) {
      const { service } = company;
      for (const person of mergePeople(company, reference)) yield { person, service };
    }
  }
  for (const change of changes) yield { change };
}

/** People without an id stay separate, because all were paid for. */
export function mergePeople(company: PeopleRecord, reference: ReferenceNames): FlatRecord[] {
  const people: Finding[] = [];
  const byId = new Map<Cell, Finding>();
  for (const search of company.searches) {
    for (const page of search.pages) {
      for (const person of page.people) {
        if (person == null) continue;
        const finding = { ...readPerson(person), company, reference, fetchedAt: page.fetchedAt };
        const id = finding.cells[personIdIndex] ?? null;
        const known = id === null ? undefined : byId.get(id);
        if (known === undefined) {
          people.push(finding);
          if (id !== null) byId.set(id, finding);
        } else {
          fillGaps(known, finding);
        }
        (known ?? finding).searches.add(search);
      }
    }
  }
  return people.map((person) => peopleColumns.map(({ value }) => value(person)));
}

interface Finding extends FoundPerson {
  readonly cells: Cell[];
  extra: unknown;
  readonly searches: Set<SearchRecord>;
}

function readPerson(person: unknown): Pick<Finding, 'cells' | 'extra' | 'searches'> {
  const cells = new Array<Cell>(personFields.values.length).fill(null);
  const extra = flattenObject(personFields, person, cells, 0);
  if (cells[personIdIndex] === '') cells[personIdIndex] = null;
  return { cells, extra, searches: new Set() };
}

function fillGaps(known: Finding, finding: Finding) {
  for (const [index, cell] of finding.cells.entries()) known.cells[index] ??= cell;
  if (isRecord(known.extra) && isRecord(finding.extra)) {
    known.extra = { ...known.extra, ...finding.extra, ...known.extra };
  } else {
    known.extra ??= finding.extra;
  }
}
