import { columnPresets } from '../../src/core/columns/choose-columns.ts';
import { type Column, type ColumnType, schemaVersion } from '../../src/core/columns/columns.ts';
import { type Comparison, comparisonOf } from '../../src/core/columns/compare-records.ts';
import {
  changeColumns,
  companyColumns,
  peopleColumns,
  registerColumns,
  rowColumns,
} from '../../src/core/columns/table-columns.ts';
import { type ContractTable, tableContracts, warehouseTables } from '../../src/results/tables.ts';
import { codes, fillIn, table } from './markdown.ts';

/** docs/columns.md, from the table that also writes the files. */
export function columnsPage(): string {
  return fillIn('docs/columns.md', {
    types: table(
      ['type', 'CSV', 'JSONL', 'Parquet', 'xlsx'],
      Object.entries(types).map(([type, cells]) => [type, ...cells]),
    ),
    keys: table(['table', 'key in files', 'key in PostgreSQL'], keyRows()),
    warehouse: table(['column', 'tables', 'type', 'holds'], warehouseRows()),
    version: schemaVersion,
    presets: table(
      ['preset', 'is', 'companies', 'people'],
      Object.entries(columnPresets).map(([name, { about, companies, people }]) => [
        ...[`\`${name}\``, about],
        ...[codes(companies, ' '), codes(people, ' ')],
      ]),
    ),
    rows: comparedTable(rowColumns),
    companies: comparedTable(companyColumns),
    register: comparedTable(registerColumns),
    people: comparedTable(peopleColumns),
    changes: table(
      ['column', 'type', 'holds'],
      changeColumns.map(({ name, type, description }) => [`\`${name}\``, type, description]),
    ),
  });
}

const types: Record<
  ColumnType,
  readonly [csv: string, jsonl: string, parquet: string, xlsx: string]
> = {
  text: ['as it is', 'string', 'STRING', 'text'],
  integer: ['digits', 'number', 'INT64', 'number; text from sixteen digits on'],
  decimal: ['digits with a point', 'number', 'DOUBLE', 'number'],
  boolean: ['`true`, `false`', 'boolean', 'BOOLEAN', 'TRUE, FALSE'],
  timestamp: [
    'ISO 8601',
    'string, ISO 8601',
    'TIMESTAMP (milliseconds, UTC)',
    'date and time, UTC',
  ],
  list: ['joined with `; `', 'list of strings', 'LIST of STRING', 'text, joined with `; `'],
  integers: ['joined with `; `', 'list of numbers', 'LIST of INT64', 'text, joined with `; `'],
  json: ['JSON text', 'string of JSON text', 'JSON', 'JSON text'],
};

function keyRows(): string[][] {
  return Object.values(warehouseTables).map(({ name, key }) => {
    const inFiles = codes(tableContracts[name as ContractTable].key);
    return [`\`${name}\``, inFiles || 'none: a record for each change of the run', codes(key)];
  });
}

/** The columns that only a warehouse has, and in which tables. */
function warehouseRows(): string[][] {
  const own = Object.values(warehouseTables).flatMap(({ name, columns }) => {
    const inFiles = tableContracts[name as ContractTable].columns.map((column) => column.name);
    return columns
      .filter((column) => !inFiles.includes(column.name))
      .map((column) => ({ table: name, column }));
  });
  return [...Map.groupBy(own, ({ column }) => column.name)].map(([name, places]) => {
    const { type = '', description = '' } = places[0]?.column ?? {};
    const tables = places.map((place) => place.table);
    return [`\`${name}\``, codes(tables, ' '), type, description];
  });
}

const comparisons: Record<Comparison, string> = {
  always: 'yes',
  on_request: 'on request',
  never: 'no',
};

function comparedTable(columns: readonly Column[]): string {
  const rows = columns.map((column) => {
    const { name, path, type, description } = column;
    const from = path.length === 0 ? '' : `\`${path.join('.')}\``;
    return [`\`${name}\``, type, from, comparisons[comparisonOf(column)], description];
  });
  return table(['column', 'type', 'from', 'compared', 'holds'], rows);
}
