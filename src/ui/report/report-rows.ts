import { type Cell, positionOf } from '../../core/columns/columns.ts';
import { peopleColumns } from '../../core/columns/table-columns.ts';
import { flattenRow } from '../../core/columns/tables.ts';
import type { Records } from '../../engine/ledger/open-ledger.ts';
import type { Run } from '../../engine/ledger/runs/runs.ts';
import { clipText } from '../../results/tally/row-sample.ts';
import type { RunTally } from '../../results/tally/run-tally.ts';
import type { TableRow } from '../workbench/api.ts';
import {
  facetNames,
  flatColumns,
  isSearched,
  isSearchedOfPerson,
  personFlatColumns,
} from '../workbench/rows/flat-table.ts';
import { personRow, rowFacts } from '../workbench/rows/read-page.ts';
import {
  personColumns,
  personPresets,
  presetsOf,
  tableColumns,
} from '../workbench/rows/table-columns.ts';

export type ReportTable = Omit<ReturnType<typeof readReportRows>, 'rows'> & {
  readonly rows: readonly TableRow[];
};

/** Filters also need columns that the table does not show. */
export function readReportRows(
  records: Records,
  run: Run,
  numbers: readonly number[],
  { people, changes }: RunTally,
) {
  const all = tableColumns(run);
  const presets = presetsOf(all).filter(({ name }) => name !== 'all');
  const facets = facetNames(flatColumns(run.columns));
  const shown = new Set([...presets.flatMap(({ columns }) => columns), ...facets]);
  const columns = all.filter(({ name }) => shown.has(name));
  const counts = new Map(people.ofRow);
  return {
    columns,
    presets,
    facets,
    searched: columns.filter(isSearched).map(({ name }) => name),
    rows: records.at(run, numbers).map(({ record }) => {
      const { number, country, fetchedAt, changedAt, identifierKind, identifier, message } = record;
      const { cells } = flattenRow(record);
      const count = record.company === undefined ? null : (counts.get(number) ?? 0);
      return {
        ...rowFacts(record, changes.rows.has(number)),
        reasonText: clip(message),
        country,
        fetchedAt,
        changedAt,
        kind: identifierKind,
        identifier: clip(identifier),
        cells: columns.map(({ position }) =>
          position === -1 ? count : clip(cells[position] ?? null),
        ),
      };
    }),
  };
}

export function readReportPeople({ first }: RunTally['people']) {
  const presets = personPresets.filter(({ name }) => name !== 'all');
  const shown = new Set(presets.flatMap(({ columns }) => columns));
  const columns = personColumns.filter(({ name }) => shown.has(name));
  return {
    columns,
    presets,
    facets: facetNames(personFlatColumns),
    searched: columns.filter(isSearchedOfPerson).map(({ name }) => name),
    rows: first.map((person) => {
      const [number = 0] = person[rowNumbersAt] as readonly number[];
      return personRow(
        number,
        columns.map(({ position }) => clip(person[position] ?? null)),
      );
    }),
  };
}

const rowNumbersAt = positionOf(peopleColumns, 'row_numbers');

const longestText = 300;
const longestList = 20;

function clip<Value extends Cell>(value: Value): Value {
  if (typeof value === 'string') return clipText(value, longestText) as Value;
  return Array.isArray(value) ? (value.slice(0, longestList) as Cell as Value) : value;
}
