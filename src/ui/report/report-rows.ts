import type { Cell } from '../../core/columns/columns.ts';
import { flattenRow } from '../../core/columns/tables.ts';
import type { Ledger } from '../../engine/ledger/open-ledger.ts';
import type { Run } from '../../engine/ledger/runs/runs.ts';
import { clipText } from '../../results/tally/row-sample.ts';
import { rowFacts } from '../workbench/rows/read-page.ts';
import { changeBase } from '../workbench/rows/run-table.ts';
import { presetsOf, tableColumns } from '../workbench/rows/table-columns.ts';

/** Filters also need columns that the table does not show. */
const filters = ['status', 'reason', 'matched_by', 'country', 'company_company_size', 'stale'];

export function readReportRows(ledger: Ledger, run: Run, numbers: readonly number[]) {
  const all = tableColumns({ columns: run.columns, hasPeople: false });
  const presets = presetsOf(all).filter(({ name }) => name !== 'all');
  const shown = new Set([...presets.flatMap(({ columns }) => columns), ...filters]);
  const columns = all.filter(({ name }) => shown.has(name));
  const baseId = changeBase(ledger, run)?.id;
  return {
    columns,
    presets,
    rows: ledger.records.at(run, numbers).map((side) => {
      const { country, fetchedAt, changedAt, identifierKind, identifier, message } = side.record;
      const { cells } = flattenRow(side.record, run.columns.length);
      return {
        ...rowFacts(side, baseId),
        reasonText: clip(message),
        country,
        fetchedAt,
        changedAt,
        kind: identifierKind,
        identifier: clip(identifier),
        cells: columns.map(({ position }) => clip(cells[position] ?? null)),
      };
    }),
  };
}

const longestText = 300;
const longestList = 20;

function clip<Value extends Cell>(value: Value): Value {
  if (typeof value === 'string') return clipText(value, longestText) as Value;
  return Array.isArray(value) ? (value.slice(0, longestList) as Cell as Value) : value;
}
