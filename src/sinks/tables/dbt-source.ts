import { stringify } from 'yaml';
import { schemaVersion } from '../../records/columns/columns.ts';
import { postgresTypes } from '../postgres/create-table.ts';
import { quoteIdentifier } from '../postgres/quote-identifier.ts';
import type { TableContract } from './table-contract.ts';

/**
 * The tables of a warehouse as a source of dbt, with a test for what is never null and for each key: the text of a
 * `sources.yml`. dbt reads `arguments` of tests and `config.meta` of sources from 1.10.5 on.
 */
export function dbtSource(tables: readonly TableContract[], schema?: string): string {
  const source = {
    name: 'dossier',
    ...(schema !== undefined && { schema }),
    description: 'Company and people records that Dossier has written.',
    tables: tables.map(dbtTable),
  };
  return stringify({ version: 2, sources: [source] }, { lineWidth: 0 });
}

function dbtTable({ name, description, columns, key, filled }: TableContract) {
  return {
    name,
    description,
    config: { meta: { dossier_schema_version: schemaVersion } },
    // dbt's own test takes one column or expression.
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

/** `(company_id || '|' || country)` */
function joined(key: readonly string[]): string {
  return `(${key.map(quoteIdentifier).join(" || '|' || ")})`;
}
