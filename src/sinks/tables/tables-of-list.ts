import { type Column, nameEveryColumn } from '../../records/columns/columns.ts';
import { inputColumns } from '../../records/columns/row-columns.ts';
import { type ColumnChoice, viewTable } from '../../records/table-view.ts';
import { type ContractTable, type TableContract, tableContracts } from './table-contract.ts';
import { warehouseTables } from './warehouse-tables.ts';

/** A table as a line of JSONL has it, with the columns of one list, in the choice of one job. */
export function fileTable(
  table: ContractTable,
  headers: readonly string[],
  choice: ColumnChoice,
): TableContract {
  const contract = tableContracts[table];
  if (table === 'runs') return contract;
  const { listColumns: _, ...promised } = contract;
  const view = viewTable(table, headers, choice);
  const columns = nameEveryColumn(view.columns, { tellsCase: true });
  const aboutOf = (name: string, among: readonly Column[]) =>
    among.find((column) => column.name === name)?.description;
  // A column of the list may have the name of one of ours, which has another name then.
  const filled = contract.filled.filter(
    (name) => aboutOf(name, columns) === aboutOf(name, contract.columns),
  );
  return { ...promised, columns, filled };
}

/** A table as a warehouse holds it once a load of this list was there; a warehouse has every column. */
export function warehouseTable(table: ContractTable, headers: readonly string[]): TableContract {
  const contract = warehouseTables[table];
  if (contract.listColumns === undefined) return contract;
  return { ...contract, columns: [...contract.columns, ...inputColumns(headers)] };
}
