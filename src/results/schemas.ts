import { stringify } from 'yaml';
import { type ColumnType, schemaVersion } from '../core/columns/columns.ts';
import { postgresTypes, quoteIdentifier } from './destinations/postgres/warehouse-tables.ts';
import type { TableContract } from './tables.ts';

/** Needs dbt 1.10.5, for `arguments` of tests and `config.meta` of sources. */
export function dbtSource(tables: readonly TableContract[]): string {
  const source = {
    name: 'dossier',
    description: 'Company and people records written by Dossier.',
    tables: tables.map(dbtTable),
  };
  return stringify({ version: 2, sources: [source] }, { lineWidth: 0 });
}

function dbtTable({ name, description, columns, key, filled }: TableContract) {
  return {
    name,
    description,
    config: { meta: { dossier_schema_version: schemaVersion } },
    // The `unique` test of dbt accepts only one column or expression.
    data_tests: [{ unique: { arguments: { column_name: joined(key) } } }],
    columns: columns.map((column) => {
      return {
        name: column.name,
        description: column.description,
        data_type: postgresTypes[column.type],
        ...(filled.includes(column.name) && { data_tests: ['not_null'] }),
      };
    }),
  };
}

function joined(key: readonly string[]) {
  return `(${key.map(quoteIdentifier).join(" || '|' || ")})`;
}

/** Allows other columns, because later versions may add some. */
export function recordJsonSchema(table: TableContract): object {
  const { name, description, columns, listColumns, lastColumns = [], filled } = table;
  const properties = [...columns, ...lastColumns].map((column) => {
    const { type, ...rest } = jsonTypes[column.type];
    const types = filled.includes(column.name) ? type : [type, 'null'];
    return [column.name, { description: column.description, type: types, ...rest }];
  });
  const ofList = { type: ['string', 'null'], description: 'A column of the list.' };
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:dossier:${name}:${schemaVersion}`,
    title: `Dossier ${name}, schema version ${schemaVersion}`,
    description,
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(listColumns === 'input_' && { patternProperties: { '^input_': ofList } }),
    ...(listColumns === 'as in the list' && { additionalProperties: ofList }),
    // Files of a run without a register lack the columns of one.
    required: columns.map((column) => column.name).filter((one) => !one.startsWith('register_')),
  };
}

const jsonTypes = {
  text: { type: 'string' },
  integer: { type: 'integer' },
  decimal: { type: 'number' },
  boolean: { type: 'boolean' },
  timestamp: { type: 'string', format: 'date-time' },
  list: { type: 'array', items: { type: 'string' } },
  integers: { type: 'array', items: { type: 'integer' } },
  json: { type: 'string', contentMediaType: 'application/json' },
} satisfies Record<ColumnType, object>;
