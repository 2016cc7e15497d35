import { type Column, type ColumnType, schemaVersion } from '../../records/columns/columns.ts';
import type { TableContract } from '../tables/table-contract.ts';
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

/**
 * The statements that create a table where it is not there, and say in the database what it and its
 * columns hold. They may run again at any time.
 */
export function createTable(table: TableContract, schema?: string): string {
  const { columns, key, filled } = table;
  const lines = columns.map((column) => {
    const notNull = filled.includes(column.name) ? ' not null' : '';
    return `${columnLine(column)}${notNull}`;
  });
  const primaryKey = `primary key (${key.map(quoteIdentifier).join(', ')})`;
  const name = quoteTable(table.name, schema);
  return [
    `create table if not exists ${name} (\n  ${[...lines, primaryKey].join(',\n  ')}\n);`,
    describeTable(table, schema),
    '',
  ].join('\n');
}

/** The statements that say in the database what a table and its columns hold. */
export function describeTable(table: TableContract, schema?: string): string {
  return [
    `comment on table ${quoteTable(table.name, schema)} is ${quoteText(aboutTable(table))};`,
    ...table.columns.map((column) => describeColumn(table.name, column, schema)),
  ].join('\n');
}

/** What the database says of a table; it differs where the table is of another version. */
export function aboutTable({ description }: TableContract): string {
  return `${description} Schema version ${schemaVersion}.`;
}

/** The statements that add a column, also again. There may be rows already, so that it takes null. */
export function addColumn(table: string, column: Column, schema?: string): string {
  return [
    `alter table ${quoteTable(table, schema)} add column if not exists ${columnLine(column)};`,
    describeColumn(table, column, schema),
  ].join('\n');
}

export function columnLine({ name, type }: Pick<Column, 'name' | 'type'>): string {
  return `${quoteIdentifier(name)} ${postgresTypes[type]}`;
}

function describeColumn(table: string, { name, description }: Column, schema?: string): string {
  return `comment on column ${quoteTable(table, schema)}.${quoteIdentifier(name)} is ${quoteText(description)};`;
}

/** PostgreSQL has no text with a NUL in it. */
function quoteText(text: string): string {
  return `'${text.replaceAll('\0', '').replaceAll("'", "''")}'`;
}
