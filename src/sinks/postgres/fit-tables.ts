import { DossierError } from '../../errors.ts';
import type { Column } from '../../records/columns/columns.ts';
import { inputColumns } from '../../records/columns/row-columns.ts';
import type { ContractTable, TableContract } from '../tables/table-contract.ts';
import { warehouseTables } from '../tables/warehouse-tables.ts';
import type { Warehouse } from './connection/open-warehouse.ts';
import {
  aboutTable,
  addColumn,
  createTable,
  describeTable,
  postgresTypes,
} from './create-table.ts';
import { quoteIdentifier } from './quote-identifier.ts';

/** The tables of the schema that are ours by name, as they are. */
export interface FoundTables {
  readonly hasSchema: boolean;
  readonly tables: ReadonlyMap<string, FoundTable>;
}

interface FoundTable {
  readonly kind: string;
  readonly about: string | null;
  readonly isOwned: boolean;
  /** Types by the names of the columns. */
  readonly columns: ReadonlyMap<string, string>;
}

const contracts = Object.values(warehouseTables);

export async function readTables(warehouse: Warehouse): Promise<FoundTables> {
  const { schema } = warehouse.place;
  const names = contracts.map(({ name }) => name);
  const schemas = await warehouse.query(
    'read tables',
    'select 1 from pg_catalog.pg_namespace where nspname = $1',
    [schema],
  );
  const { rows } = await warehouse.query<FoundRow>('read tables', foundTables, [schema, names]);
  const tables = rows.map(({ name, kind, about, isOwned, columns }): [string, FoundTable] => [
    name,
    { kind, about, isOwned, columns: new Map(Object.entries(columns)) },
  ]);
  return { hasSchema: schemas.rowCount > 0, tables: new Map(tables) };
}

interface FoundRow extends Omit<FoundTable, 'columns'> {
  readonly name: string;
  readonly columns: Readonly<Record<string, string>>;
}

const foundTables = `
  select c.relname as name, c.relkind as kind, obj_description(c.oid, 'pg_class') as about,
    pg_has_role(c.relowner, 'usage') as "isOwned",
    (select coalesce(json_object_agg(a.attname, format_type(a.atttypid, null)), '{}')
      from pg_catalog.pg_attribute a
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where n.nspname = $1 and c.relname = any($2)`;

/** Throws where a table cannot hold the records, whatever is added to it. */
export function refuseUnfit(
  { tables }: FoundTables,
  headers: readonly string[],
  schema: string,
): void {
  for (const contract of contracts) {
    const found = tables.get(contract.name);
    if (!found) continue;
    const name = `${schema}.${contract.name}`;
    // Ordinary and partitioned tables.
    if (!['r', 'p'].includes(found.kind)) {
      throw new DossierError('WAREHOUSE_UNFIT', `${name} in the warehouse is no table`);
    }
    for (const column of columnsOf(contract, headers)) {
      const type = found.columns.get(column.name);
      const ours = shownTypes[postgresTypes[column.type]] ?? postgresTypes[column.type];
      if (type !== undefined && type !== ours) {
        throw new DossierError(
          'WAREHOUSE_UNFIT',
          `the column ${column.name} of ${name} in the warehouse is of the type ${type}, where Dossier has ${ours}`,
        );
      }
    }
  }
}

/** Types that PostgreSQL tells by another name than it takes them. */
const shownTypes: Readonly<Record<string, string>> = { timestamptz: 'timestamp with time zone' };

/**
 * Creates the schema and the tables where they are missing, and adds the columns that they lack; none is ever
 * dropped. Two jobs may do so at once, and the second then finds all there.
 */
export async function fitTables(
  warehouse: Warehouse,
  headers: readonly string[],
): Promise<FoundTables> {
  const { schema } = warehouse.place;
  const before = await readTables(warehouse);
  if (lacksNothing(before, headers, schema)) return before;
  await warehouse.query('make tables', 'select pg_advisory_xact_lock(hashtext($1))', [
    `dossier tables ${schema}`,
  ]);
  const found = await readTables(warehouse);
  refuseUnfit(found, headers, schema);
  const statements = missingStatements(found, headers, schema);
  if (statements.length > 0) await warehouse.query('make tables', statements.join('\n'));
  return readTables(warehouse);
}

/** Whether all tables are there, with all columns. */
export function lacksNothing(
  found: FoundTables,
  headers: readonly string[],
  schema: string,
): boolean {
  return missingStatements(found, headers, schema).length === 0;
}

/** The statements that make tables for a list where nothing is there; without a schema, in the usual one. */
export function makeTables(
  tables: readonly ContractTable[],
  headers: readonly string[],
  schema?: string,
): string[] {
  return [
    ...(schema === undefined ? [] : [makeSchema(schema)]),
    ...tables.flatMap((name) => missingOf(warehouseTables[name], undefined, headers, schema)),
  ];
}

function makeSchema(schema: string): string {
  return `create schema if not exists ${quoteIdentifier(schema)};`;
}

function missingStatements(
  { hasSchema, tables }: FoundTables,
  headers: readonly string[],
  schema: string,
): string[] {
  return [
    ...(hasSchema ? [] : [makeSchema(schema)]),
    ...contracts.flatMap((contract) =>
      missingOf(contract, tables.get(contract.name), headers, schema),
    ),
  ];
}

function missingOf(
  contract: TableContract,
  found: FoundTable | undefined,
  headers: readonly string[],
  schema: string | undefined,
): string[] {
  const { name } = contract;
  if (!found) {
    const ofList = listColumnsOf(contract, headers);
    return [createTable(contract, schema), ...ofList.map((one) => addColumn(name, one, schema))];
  }
  const missing = columnsOf(contract, headers).filter((column) => !found.columns.has(column.name));
  const isOtherVersion = found.about !== aboutTable(contract);
  return [
    ...missing.map((column) => addColumn(name, column, schema)),
    // Only the owner of a table may describe it.
    ...(isOtherVersion && found.isOwned ? [describeTable(contract, schema)] : []),
  ];
}

function columnsOf(contract: TableContract, headers: readonly string[]): readonly Column[] {
  return [...contract.columns, ...listColumnsOf(contract, headers)];
}

function listColumnsOf({ listColumns }: TableContract, headers: readonly string[]): Column[] {
  return listColumns === undefined ? [] : inputColumns(headers);
}
