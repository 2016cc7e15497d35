import { type Column, positionOf } from '../../records/columns/columns.ts';
import type { ContractTable } from '../tables/table-contract.ts';
import { warehouseTables } from '../tables/warehouse-tables.ts';
import type { Warehouse } from './connection/open-warehouse.ts';
import { postgresTypes } from './create-table.ts';
import { quoteIdentifier, quoteTable } from './quote-identifier.ts';

/** What a merge has done to a table. */
export interface MergeCounts {
  readonly inserted: number;
  readonly updated: number;
  readonly removed: number;
  readonly unchanged: number;
}

/** What becomes of records that the staged ones lack. */
export type WhenRemoved =
  | { readonly how: 'keep' }
  | { readonly how: 'delete' }
  /** `at` is written to removed_at, which is empty in all others. */
  | { readonly how: 'mark'; readonly at: string };

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
  /** Columns that the records have no longer. */
  readonly emptied?: readonly string[];
  readonly hasMarks: boolean;
  readonly whenRemoved: WhenRemoved;
}

/**
 * Makes the records of a table within the scope those that are staged. Only what differs is written, so that
 * the same records again write nothing.
 */
export async function mergeTable(warehouse: Warehouse, plan: MergePlan): Promise<MergeCounts> {
  const run = async (text: string, ...more: string[]) => {
    const values = [...Object.values(plan.scope), ...more];
    return (await warehouse.query('merge', text, values)).rowCount;
  };
  const target = quoteTable(plan.table, warehouse.place.schema);
  const parts = partsOf(plan);
  const { rows } = await warehouse.query<{ count: string }>(
    'merge',
    `select count(*) from ${plan.staged} s`,
  );
  const staged = Number(rows[0]?.count);
  const removed = await remove(plan, target, parts, run);
  const updated = await run(
    `update ${target} t set ${parts.assigned}
      from ${plan.staged} s where ${parts.inScope} and ${parts.isSame} and ${parts.differs}`,
  );
  const inserted = await run(
    `insert into ${target} (${parts.names}) select ${parts.values} from ${plan.staged} s
      where not exists (select from ${target} t where ${parts.inScope} and ${parts.isSame})`,
  );
  return { inserted, updated, removed, unchanged: staged - inserted - updated };
}

type Parts = ReturnType<typeof partsOf>;

async function remove(
  { staged, whenRemoved, scope }: MergePlan,
  target: string,
  { inScope, isSame }: Parts,
  run: (text: string, ...more: string[]) => Promise<number>,
): Promise<number> {
  const isGone = `${inScope} and not exists (select from ${staged} s where ${isSame})`;
  switch (whenRemoved.how) {
    case 'keep':
      return 0;
    case 'delete':
      return run(`delete from ${target} t where ${isGone}`);
    case 'mark': {
      const at = `$${Object.keys(scope).length + 1}::timestamptz`;
      const text = `update ${target} t set removed_at = ${at} where t.removed_at is null and ${isGone}`;
      return run(text, whenRemoved.at);
    }
  }
}

/** The parts that the statements share: `t` is the table, `s` what is staged, `$1` and on the scope. */
function partsOf({ table, columns, key, scope, emptied = [], hasMarks }: MergePlan) {
  const names = columns.map(quoteIdentifier);
  const scoped = Object.keys(scope).map((name, index) => {
    const { type } = columnOf(table, name);
    return { name: quoteIdentifier(name), value: `$${index + 1}::${postgresTypes[type]}` };
  });
  // A record that comes back is marked no longer.
  const empty = [...emptied, ...(hasMarks ? ['removed_at'] : [])].map(quoteIdentifier);
  const own = columns.filter((name) => !key.includes(name)).map(quoteIdentifier);
  const differing = [
    `(${own.map((name) => `t.${name}`)}) is distinct from (${own.map((name) => `s.${name}`)})`,
    ...empty.map((name) => `t.${name} is not null`),
  ];
  return {
    names: [...scoped.map(({ name }) => name), ...names].join(', '),
    values: [...scoped.map(({ value }) => value), ...names.map((name) => `s.${name}`)].join(', '),
    assigned: [
      ...own.map((name) => `${name} = s.${name}`),
      ...empty.map((name) => `${name} = null`),
    ].join(', '),
    inScope: scoped.map(({ name, value }) => `t.${name} = ${value}`).join(' and '),
    isSame: key
      .map(quoteIdentifier)
      .map((name) => `t.${name} = s.${name}`)
      .join(' and '),
    differs: `(${differing.join(' or ')})`,
  };
}

function columnOf(table: ContractTable, name: string) {
  const { columns } = warehouseTables[table];
  return columns[positionOf(columns, name)] as Column;
}
