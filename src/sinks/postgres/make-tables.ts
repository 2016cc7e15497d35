import { DossierError } from '../../errors.ts';
import { type Column, type ColumnType, schemaVersion } from '../../records/columns/columns.ts';
import { inputColumns } from '../../records/columns/row-columns.ts';
import { type ContractTable, type TableContract, warehouseTables } from '../tables/tables.ts';
import type { Warehouse } from './connection/open-warehouse.ts';
import { quoteIdentifier, quoteTable } from './quote-identifier.ts';

export const postgresTypes: Readonly<Record<ColumnType, string>> = {
  text: 'text',
  integer: 'bigint',
  decimal: 'double precision',
  boolean: 'boolean',
  timestamp: 'timestamptz',
  list: 'jsonb',
  integers: 'jsonb',
  json: 'jsonb',
};

/** The types of the columns of each of our tables in the schema; undefined where the schema is missing. */
export async function readTables({ query, place }: Warehouse) {
  const names = Object.keys(warehouseTables);
  const { rows } = await query<{ name: string | null; columns: Record<string, string> }>(
    'read tables',
    `select c.relname as name, (
        select coalesce(json_object_agg(a.attname, format_type(a.atttypid, null)), '{}')
        from pg_catalog.pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns
      from pg_catalog.pg_namespace n
      left join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relname = any($2)
      where n.nspname = $1`,
    [place.schema, names],
  );
  if (rows.length === 0) return undefined;
  return new Map(rows.map(({ name, columns }) => [name, new Map(Object.entries(columns))]));
}
export type FoundTables = Awaited<ReturnType<typeof readTables>>;

/** PostgreSQL shows this type by another name than it takes it. */
const shownTypes: Readonly<Record<string, string>> = { timestamptz: 'timestamp with time zone' };

/** The statements that add missing tables and columns; throws where a column has another type. */
export function missingStatements(
  found: FoundTables,
  headers: readonly string[],
  schema: string,
): string[] {
  const statements = found ? [] : [makeSchema(schema)];
  for (const contract of Object.values(warehouseTables)) {
    const { name } = contract;
    const types = found?.get(name);
    if (!types) {
      statements.push(...makeTable(contract, headers, schema));
      continue;
    }
    for (const column of [...contract.columns, ...listColumns(contract, headers)]) {
      const type = types.get(column.name);
      const ours = shownTypes[postgresTypes[column.type]] ?? postgresTypes[column.type];
      if (type === undefined) statements.push(addColumn(name, column, schema));
      else if (type !== ours) {
        throw new DossierError(
          'WAREHOUSE_UNFIT',
          `the column ${column.name} of ${schema}.${name} in the warehouse is of the type ${type}, where Dossier has ${ours}`,
        );
      }
    }
  }
  return statements;
}

/** The statements that make tables for a list where nothing is there; without a schema, in the usual one. */
export function makeTables(
  tables: readonly ContractTable[],
  headers: readonly string[],
  schema?: string,
): string[] {
  return [
    ...(schema === undefined ? [] : [makeSchema(schema)]),
    ...tables.flatMap((name) => makeTable(warehouseTables[name], headers, schema)),
  ];
}

function makeSchema(schema: string): string {
  return `create schema if not exists ${quoteIdentifier(schema)};`;
}

/** All statements may run again at any time. */
function makeTable(contract: TableContract, headers: readonly string[], schema?: string): string[] {
  const { columns, key, filled, description } = contract;
  const lines = columns.map((column) => {
    const notNull = filled.includes(column.name) ? ' not null' : '';
    return `${columnLine(column)}${notNull}`;
  });
  const primaryKey = `primary key (${key.map(quoteIdentifier).join(', ')})`;
  const name = quoteTable(contract.name, schema);
  const about = `${description} Schema version ${schemaVersion}.`;
  return [
    [
      `create table if not exists ${name} (\n  ${[...lines, primaryKey].join(',\n  ')}\n);`,
      `comment on table ${name} is ${quoteText(about)};`,
      ...columns.map((column) => describeColumn(name, column)),
      '',
    ].join('\n'),
    ...listColumns(contract, headers).map((column) => addColumn(contract.name, column, schema)),
  ];
}

/** There may be rows already, so the column takes null. */
function addColumn(table: string, column: Column, schema?: string): string {
  const name = quoteTable(table, schema);
  return `alter table ${name} add column if not exists ${columnLine(column)};\n${describeColumn(name, column)}`;
}

export function columnLine({ name, type }: Pick<Column, 'name' | 'type'>): string {
  return `${quoteIdentifier(name)} ${postgresTypes[type]}`;
}

function describeColumn(table: string, { name, description }: Column): string {
  return `comment on column ${table}.${quoteIdentifier(name)} is ${quoteText(description)};`;
}

/** PostgreSQL has no text with a NUL in it. */
function quoteText(text: string): string {
  return `'${text.replaceAll('\0', '').replaceAll("'", "''")}'`;
}

function listColumns({ listColumns: named }: TableContract, headers: readonly string[]): Column[] {
  return named === undefined ? [] : inputColumns(headers);
}
