import { type Cell, type FlatRecord, positionOf } from '../../core/columns/columns.ts';
import type { Records } from '../../core/columns/run-records.ts';
import { peopleColumns } from '../../core/columns/table-columns.ts';
import { flattenRow } from '../../core/columns/tables.ts';
import type { Run } from '../../engine/ledger/runs/runs.ts';
import { clipText } from '../../results/tally/row-sample.ts';
import type { RunTally } from '../../results/tally/run-tally.ts';
import type { ColumnPreset, TableColumn, TableRow } from '../workbench/api/answers.ts';
import { personRow, rowFacts } from '../workbench/rows/read-page.ts';
import {
  personColumns,
  personPresets,
  presetsOf,
  tableColumns,
} from '../workbench/rows/shown-columns.ts';

/** A report has plain tables. Search, sorting and filters are in `dossier ui`. */
export interface ReportTable {
  readonly columns: readonly TableColumn[];
  readonly rows: readonly TableRow[];
}

export function readReportRows(
  records: Records,
  run: Run,
  numbers: readonly number[],
  { people, changes }: RunTally,
): ReportTable {
  const all = tableColumns(run);
  const columns = shortColumns(all, presetsOf(all));
  const counts = new Map(people.ofRow);
  const rows = records.at(run, numbers).map(({ record }) => {
    const { number, company } = record;
    const { cells } = flattenRow(record);
    const count = company === undefined ? null : (counts.get(number) ?? 0);
    return { ...rowFacts(record, changes.rows.has(number)), cells: pick(cells, columns, count) };
  });
  return { columns, rows };
}

export function readReportPeople({ first }: RunTally['people'], most: number): ReportTable {
  const columns = shortColumns(personColumns, personPresets);
  const rows = first.slice(0, most).map((person) => {
    const [number = 0] = person[rowNumbersAt] as readonly number[];
    return personRow(number, pick(person, columns));
  });
  return { columns, rows };
}

const rowNumbersAt = positionOf(peopleColumns, 'row_numbers');

/** The columns that the page shows first, in their order. */
function shortColumns(all: readonly TableColumn[], [short]: readonly ColumnPreset[]) {
  return (short?.columns ?? []).flatMap((name) => all.find((column) => column.name === name) ?? []);
}

function pick(cells: FlatRecord, columns: readonly TableColumn[], people: Cell = null): Cell[] {
  return columns.map(({ position }) => (position === -1 ? people : clip(cells[position] ?? null)));
}

const longestText = 300;
const longestList = 20;

function clip(value: Cell): Cell {
  if (typeof value === 'string') return clipText(value, longestText);
  return Array.isArray(value) ? (value.slice(0, longestList) as Cell) : value;
}
