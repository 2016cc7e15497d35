import type { CommandModule } from 'yargs';
import { DossierError } from '../errors.ts';
import type { ContractTable } from '../sinks/tables/tables.ts';
import { once } from './options/job-options.ts';
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
  job: string | undefined;
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
      .option(
        'job',
        once('job', 'Job file or list: tables have the columns of the list, too, and its choice'),
      )
      .example(
        '$0 schema > job.schema.json',
        'then begin a job with "# yaml-language-server: $schema=job.schema.json"',
      )
      .example('$0 schema --table companies', 'JSON Schema of a line of companies.jsonl')
      .example('$0 schema --as dbt > sources.yml', 'every table, with descriptions and tests')
      .example('$0 schema --as postgres | psql', 'creates the tables')
      .example(
        '$0 schema --as postgres --job nightly.yaml | psql',
        'with the columns of its list, as a load would',
      ),
  handler: async ({ table, as, job }) => {
    const isJobSchema = table === undefined && as === undefined && job === undefined;
    process.stdout.write(isJobSchema ? await jobSchema() : await tableSchema(table, as, job));
  },
};

async function jobSchema(): Promise<string> {
  const { jobJsonSchema } = await import('../job/job-json-schema.ts');
  return jsonFile(jobJsonSchema());
}

async function tableSchema(
  table: SchemaArguments['table'],
  language: SchemaArguments['as'] = 'json',
  job?: string,
): Promise<string> {
  const list = job === undefined ? undefined : await readList(job);
  const { headers = [], schema } = list ?? {};
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
      const { tableContracts } = await import('../sinks/tables/tables.ts');
      const { recordJsonSchema } = await import('../sinks/tables/schemas.ts');
      const { fileTable } = await import('../sinks/tables/tables.ts');
      const contract = list ? fileTable(only, headers, list.choice) : tableContracts[only];
      return jsonFile(recordJsonSchema(contract));
    }
    case 'dbt': {
      const { warehouseTable } = await import('../sinks/tables/tables.ts');
      const { dbtSource } = await import('../sinks/tables/schemas.ts');
      return dbtSource(
        names.map((name) => warehouseTable(name, headers)),
        schema,
      );
    }
    case 'postgres': {
      const { makeTables } = await import('../sinks/postgres/make-tables.ts');
      return `${makeTables(names, headers, schema).join('\n').trimEnd()}\n`;
    }
  }
}

async function readList(path: string) {
  const { openJob } = await import('../overview/jobs/open-job.ts');
  const { sampleData } = await import('../runtime/sample-data.ts');
  const { readListOfJob } = await import('./schema/list-of-job.ts');
  // No service is called, so a job without an address is fine here.
  return await readListOfJob(openJob(path, { url: sampleData }));
}

function jsonFile(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
