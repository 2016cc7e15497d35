import type { CommandModule } from 'yargs';
import { DossierError } from '../errors.ts';
import type { ContractTable } from '../sinks/tables/table-contract.ts';
import { singleChoice } from './options/option-values.ts';

const tableNames = [
  'companies',
  'people',
  'rejects',
  'changes',
  'runs',
] as const satisfies readonly ContractTable[];
const languages = ['json', 'dbt', 'postgres'] as const;

interface SchemaArguments {
  table: (typeof tableNames)[number] | undefined;
  as: (typeof languages)[number] | undefined;
}

export const schemaCommand: CommandModule<object, SchemaArguments> = {
  command: 'schema',
  describe: 'Print the JSON Schema of the job file, or what a table of the results holds',
  builder: (args) =>
    args
      .option('table', {
        requiresArg: true,
        choices: tableNames,
        coerce: singleChoice('table', tableNames),
        describe: 'A table of the results; runs are the manifests (default with --as: all)',
      })
      .option('as', {
        requiresArg: true,
        choices: languages,
        coerce: singleChoice('as', languages),
        describe:
          'JSON Schema of a record, a source of dbt, or PostgreSQL statements (default with --table: json)',
      })
      .example(
        '$0 schema > job.schema.json',
        'then begin a job with "# yaml-language-server: $schema=job.schema.json"',
      )
      .example('$0 schema --table companies', 'JSON Schema of a line of companies.jsonl')
      .example('$0 schema --as dbt > sources.yml', 'every table, with descriptions and tests')
      .example('$0 schema --as postgres | psql', 'creates the tables'),
  handler: async ({ table, as }) => {
    process.stdout.write(
      table === undefined && as === undefined ? await jobSchema() : await tableSchema(table, as),
    );
  },
};

async function jobSchema(): Promise<string> {
  const { jobJsonSchema } = await import('../job/job-json-schema.ts');
  return jsonFile(jobJsonSchema());
}

async function tableSchema(
  table: SchemaArguments['table'],
  language: SchemaArguments['as'] = 'json',
): Promise<string> {
  const names = table ? [table] : tableNames;
  switch (language) {
    case 'json': {
      const [only, ...others] = names;
      if (!only || others.length > 0) {
        throw new DossierError(
          'USAGE',
          `--as json describes one table: name it with --table ${tableNames.join('|')}`,
        );
      }
      const { tableContracts } = await import('../sinks/tables/table-contract.ts');
      const { recordJsonSchema } = await import('../sinks/tables/record-json-schema.ts');
      return jsonFile(recordJsonSchema(tableContracts[only]));
    }
    case 'dbt': {
      const { warehouseTables } = await import('../sinks/tables/warehouse-tables.ts');
      const { dbtSource } = await import('../sinks/tables/dbt-source.ts');
      return dbtSource(names.map((name) => warehouseTables[name]));
    }
    case 'postgres': {
      const { warehouseTables } = await import('../sinks/tables/warehouse-tables.ts');
      const { createTable } = await import('../sinks/postgres/create-table.ts');
      return names.map((name) => createTable(warehouseTables[name])).join('\n');
    }
  }
}

function jsonFile(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
