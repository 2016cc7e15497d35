import { type Column, positionOf } from '../../records/columns/columns.ts';
import { type ContractTable, warehouseTables } from '../tables/tables.ts';
import type { Warehouse } from './connection/open-warehouse.ts';
import { postgresTypes } from './make-tables.ts';
import { quoteIdentifier, quoteTable } from './quote-identifier.ts';

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
