import { DossierError } from '../../errors.ts';
import { type Column, type ColumnType, positionOf, schemaVersion } from '../../records/columns.ts';
import { inputColumns } from '../../records/table-columns.ts';
import { type ContractTable, type TableContract, warehouseTables } from '../tables.ts';
import type { Warehouse } from './open-warehouse.ts';

/** Words that PostgreSQL takes as a name of a table or column only in quotes: those it calls reserved. */
export const reservedInPostgres: ReadonlySet<string> = new Set(
  `all analyse analyze and any array as asc asymmetric authorization binary both case cast check collate
  collation column concurrently constraint create cross current_catalog current_date current_role
  current_schema current_time current_timestamp current_user default deferrable desc distinct do else
  end except false fetch for foreign freeze from full grant group having ilike in initially inner
  intersect into is isnull join lateral leading left like limit localtime localtimestamp natural not
  notnull null offset on only or order outer overlaps placing primary references returning right select
  session_user similar some symmetric system_user table tablesample then to trailing true union unique
  user using variadic verbose when where window with`.split(/\s+/),
);

/** `row_key → row_key`, `Order → "Order"`, `order → "order"` */
export function quoteIdentifier(name: string): string {
  const isPlain = /^[a-z_][a-z0-9_]*$/.test(name) && !reservedInPostgres.has(name);
  return isPlain ? name : `"${name.replaceAll('"', '""')}"`;
}

/** `enrichment.companies`; without a schema, `companies`. */
export function quoteTable(table: string, schema?: string): string {
  const name = quoteIdentifier(table);
  return schema === undefined ? name : `${quoteIdentifier(schema)}.${name}`;
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

export interface MergePlan {
  readonly table: ContractTable;
  /** The records, as a table or a query in brackets. */
  readonly staged: string;
  /** Columns that stand in the staged records, the key among them. */
  readonly columns: readonly string[];
  /** What tells one record from another, as far as it is staged. */
  readonly key: readonly string[];
  /** What is the same in all staged records. Others in the table are left alone. */
  readonly scope: Readonly<Record<string, string>>;
  /** Records stay that the staged ones lack. */
  readonly keepsOthers?: boolean;
}

/** Makes the records of a table within the scope those that are staged. Only what differs is written. */
export async function mergeTable({ query, place }: Warehouse, plan: MergePlan) {
  const { table, staged, columns, key, scope, keepsOthers } = plan;
  const target = quoteTable(table, place.schema);
  const names = columns.map(quoteIdentifier);
  const own = columns.filter((name) => !key.includes(name)).map(quoteIdentifier);
  const scoped = Object.keys(scope).map((name, index) => {
    const { type } = columnOf(table, name);
    return { name: quoteIdentifier(name), value: `$${index + 1}::${postgresTypes[type]}` };
  });
  const isSame = [
    ...scoped.map(({ name, value }) => `t.${name} = ${value}`),
    ...key.map(quoteIdentifier).map((name) => `t.${name} = s.${name}`),
  ].join(' and ');
  const inScope = scoped.map(({ name, value }) => `t.${name} = ${value}`).join(' and ');
  const run = async (text: string) => (await query('merge', text, Object.values(scope))).rowCount;
  const removed = keepsOthers
    ? 0
    : await run(`delete from ${target} t
        where ${inScope} and not exists (select from ${staged} s where ${isSame})`);
  const updated = await run(`update ${target} t set ${own.map((name) => `${name} = s.${name}`)}
    from ${staged} s where ${isSame}
    and (${own.map((name) => `t.${name}`)}) is distinct from (${own.map((name) => `s.${name}`)})`);
  const inserted =
    await run(`insert into ${target} (${[...scoped.map(({ name }) => name), ...names]})
    select ${[...scoped.map(({ value }) => value), ...names.map((name) => `s.${name}`)]} from ${staged} s
    where not exists (select from ${target} t where ${isSame})`);
  return { inserted, updated, removed };
}

export function columnOf(table: ContractTable, name: string): Column {
  const { columns } = warehouseTables[table];
  return columns[positionOf(columns, name)] as Column;
}
