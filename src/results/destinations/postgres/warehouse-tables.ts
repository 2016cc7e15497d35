import { type Column, type ColumnType, schemaVersion } from '../../../core/columns/columns.ts';
import { DossierError } from '../../../core/errors.ts';
import {
  allTables,
  type ContractTable,
  isRowNumber,
  type TableContract,
  warehouseTables,
} from '../../tables.ts';
import type { Warehouse } from './open-warehouse.ts';

/** Plain names stay unquoted, because none of our columns is a reserved word. */
export function quoteIdentifier(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}

/** A schema may be a reserved word. */
export function quoteTable(table: string, schema?: string): string {
  return schema === undefined ? table : `"${schema}".${table}`;
}

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

export async function readTables({ query, target }: Warehouse) {
  const { rows } = await query<{ name: string | null; columns: Record<string, string> }>(
    'read tables',
    `select c.relname as name, (
        select coalesce(json_object_agg(a.attname, format_type(a.atttypid, null)), '{}')
        from pg_catalog.pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns
      from pg_catalog.pg_namespace n
      left join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relname = any($2)
      where n.nspname = $1`,
    [target.schema, allTables],
  );
  if (rows.length === 0) return undefined;
  return new Map(rows.map(({ name, columns }) => [name, new Map(Object.entries(columns))]));
}
export type FoundTables = Awaited<ReturnType<typeof readTables>>;

/** `format_type` returns the full names of types. */
const shownTypes: Readonly<Record<string, string>> = { timestamptz: 'timestamp with time zone' };

export function tableStatements(
  tables: readonly ContractTable[],
  inputs: readonly Column[],
  schema?: string,
  found?: FoundTables,
): string[] {
  const statements =
    found || schema === undefined ? [] : [`create schema if not exists "${schema}";`];
  for (const table of tables) {
    const { columns, listColumns } = warehouseTables[table];
    const types = found?.get(table);
    if (!types) statements.push(makeTable(warehouseTables[table], schema));
    for (const column of [...(types ? columns : []), ...(listColumns ? inputs : [])]) {
      const type = types?.get(column.name);
      const ours = shownTypes[postgresTypes[column.type]] ?? postgresTypes[column.type];
      if (type === undefined) statements.push(addColumn(table, column, schema));
      else if (type !== ours) {
        throw new DossierError(
          'WAREHOUSE_UNFIT',
          `the column ${column.name} of ${schema}.${table} in the warehouse has the type ${type}, but Dossier needs ${ours}`,
        );
      }
    }
  }
  return statements;
}

function makeTable(contract: TableContract, schema?: string) {
  const { columns, key, filled, description } = contract;
  const lines = columns.map((column) => {
    const notNull = filled.includes(column.name) ? ' not null' : '';
    return `${columnLine(column)}${notNull}`;
  });
  const primaryKey = `primary key (${key.map(quoteIdentifier).join(', ')})`;
  const name = quoteTable(contract.name, schema);
  const about = `${description} Schema version ${schemaVersion}.`;
  return [
    `create table if not exists ${name} (\n  ${[...lines, primaryKey].join(',\n  ')}\n);`,
    `comment on table ${name} is ${quoteText(about)};`,
    ...columns.map((column) => describeColumn(name, column)),
    '',
  ].join('\n');
}

function addColumn(table: string, column: Column, schema?: string) {
  const name = quoteTable(table, schema);
  return `alter table ${name} add column if not exists ${columnLine(column)};\n${describeColumn(name, column)}`;
}

export function columnLine({ name, type }: Pick<Column, 'name' | 'type'>): string {
  return `${quoteIdentifier(name)} ${postgresTypes[type]}`;
}

function describeColumn(table: string, { name, description }: Column) {
  return `comment on column ${table}.${quoteIdentifier(name)} is ${quoteText(description)};`;
}

/** PostgreSQL text cannot contain NUL. */
function quoteText(text: string) {
  return `'${text.replaceAll('\0', '').replaceAll("'", "''")}'`;
}

export function stagedColumns(table: ContractTable, inputs: readonly Column[]): Column[] {
  const { stagedColumns: own, listColumns } = warehouseTables[table];
  return [...own, ...(listColumns ? inputs : [])];
}

/** Makes the records in `scope` equal to those of `source`, a staged table or a part of one. */
export async function mergeTable(
  { query, target }: Warehouse,
  table: ContractTable,
  source: string,
  inputs: readonly Column[],
  scope: Readonly<Record<string, string>>,
  found: FoundTables,
) {
  const quoted = quoteTable(table, target.schema);
  const { key } = warehouseTables[table];
  const columns = stagedColumns(table, inputs)
    .map(({ name }) => name)
    .filter((name) => !isRowNumber(table, name) || found?.get(table)?.has(name));
  const names = columns.map(quoteIdentifier);
  const compared = columns.filter((name) => !key.includes(name)).map(quoteIdentifier);
  const inScope = Object.keys(scope).map((name, index) => `t.${name} = $${index + 1}`);
  const isSame = [...inScope, ...key.map((name) => `t.${name} = s.${name}`)].join(' and ');
  const run = (text: string) => query('merge', text, Object.values(scope));
  if (table !== 'runs') {
    await run(`delete from ${quoted} t where ${inScope.join(' and ')}
      and not exists (select from ${source} s where ${isSame})`);
  }
  await run(`update ${quoted} t set ${compared.map((name) => `${name} = s.${name}`)}
    from ${source} s where ${isSame}
    and (${compared.map((name) => `t.${name}`)}) is distinct from (${compared.map((name) => `s.${name}`)})`);
  await run(`insert into ${quoted} (${names})
    select ${names.map((name) => `s.${name}`)} from ${source} s
    where not exists (select from ${quoted} t where ${isSame})`);
}
