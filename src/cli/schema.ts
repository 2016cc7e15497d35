import { jobJsonSchema } from '../job/job-schema.ts';
import { adapterSchema } from '../job/services/load-adapter.ts';
import { servicesSchema } from '../job/services/load-services.ts';
import { tableStatements } from '../results/destinations/postgres/warehouse-tables.ts';
import { dbtSource, recordJsonSchema } from '../results/schemas.ts';
import { allTables, tableContracts, warehouseTables } from '../results/tables.ts';
import { command } from './parts/command.ts';
import { choice, usage, type Values } from './parts/options.ts';

const fileSchemas = { job: jobJsonSchema, services: servicesSchema, adapter: adapterSchema };

const options = {
  of: choice('File to describe: job (the default), services (services.yaml) or adapter', [
    'job',
    'services',
    'adapter',
  ]),
  table: choice(
    'Result table; `runs` has one record per run (with --as dbt or postgres, the default is all tables)',
    allTables,
  ),
  as: choice(
    'JSON Schema, dbt source or PostgreSQL statements (with --table, the default is json)',
    ['json', 'dbt', 'postgres'],
  ),
};

export const schema = command({
  options,
  examples: {
    '$0 schema > job.schema.json':
      'write the schema; begin job files with "# yaml-language-server: $schema=job.schema.json"',
    '$0 schema --of services > services.schema.json': 'write the schema of services.yaml',
    '$0 schema --table companies': 'print the JSON Schema of the companies table',
    '$0 schema --as dbt > sources.yml': 'write all tables as a dbt source, with tests',
    '$0 schema --as postgres | psql': 'create the tables',
  },
  async facts({ of: file, table, as }, { print }) {
    const isOfFile = file !== undefined || (table === undefined && as === undefined);
    print(isOfFile ? jsonFile(fileSchemas[file ?? 'job']()) : tableSchema(table, as));
  },
});

function tableSchema(
  table: Values<typeof options>['table'],
  language: Values<typeof options>['as'] = 'json',
) {
  const names = table ? [table] : allTables;
  switch (language) {
    case 'json': {
      const [only, ...others] = names;
      if (!only || others.length > 0) {
        throw usage(`--as json describes one table: name it with --table ${allTables.join('|')}`);
      }
      return jsonFile(recordJsonSchema(tableContracts[only]));
    }
    case 'dbt':
      return dbtSource(names.map((name) => warehouseTables[name]));
    case 'postgres':
      return `${tableStatements(names, []).join('\n').trimEnd()}\n`;
  }
}

function jsonFile(value: object) {
  return `${JSON.stringify(value, null, 2)}\n`;
}
