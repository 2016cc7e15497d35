import { type ColumnType, schemaVersion } from '../../records/columns/columns.ts';
import type { TableContract } from '../tables/table-contract.ts';
import { quoteIdentifier } from './quote-identifier.ts';

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
export function createTable(table: TableContract): string {
  const { columns, key, filled } = table;
  const name = quoteIdentifier(table.name);
  const lines = columns.map((column) => {
    const notNull = filled.includes(column.name) ? ' not null' : '';
    return `${quoteIdentifier(column.name)} ${postgresTypes[column.type]}${notNull}`;
  });
  const about = `${table.description} Schema version ${schemaVersion}.`;
  return [
    `create table if not exists ${name} (\n  ${[...lines, ...keyLines(key, filled)].join(',\n  ')}\n);`,
    `comment on table ${name} is ${quoteText(about)};`,
    ...columns.map(
      (column) =>
        `comment on column ${name}.${quoteIdentifier(column.name)} is ${quoteText(column.description)};`,
    ),
    '',
  ].join('\n');
}

/** A primary key takes no null. In a unique constraint a null is like no other, so that it fits people. */
function keyLines(key: readonly string[], filled: readonly string[]): string[] {
  if (key.length === 0) return [];
  const isFilled = key.every((name) => filled.includes(name));
  const kind = isFilled ? 'primary key' : 'unique';
  return [`${kind} (${key.map(quoteIdentifier).join(', ')})`];
}

/** PostgreSQL has no text with a NUL in it. */
function quoteText(text: string): string {
  return `'${text.replaceAll('\0', '').replaceAll("'", "''")}'`;
}
