import { inputColumns } from '../core/columns/table-columns.ts';
import { sampleData } from '../core/runtime/sample-data.ts';
import { jobJsonSchema } from '../job/job-schema.ts';
import { placesOf } from '../job/resolve-job.ts';
import { openInput } from '../lists/open-input.ts';
import { tableStatements } from '../results/postgres/warehouse-tables.ts';
import { dbtSource, recordJsonSchema } from '../results/schemas.ts';
import {
  type ContractTable,
  fileTable,
  tableContracts,
  warehouseTable,
} from '../results/tables.ts';
import { openJob } from '../ui/overview/jobs.ts';
import { command } from './command.ts';
import { choice, text, usage, type Values } from './options.ts';

const tableNames = [
  'companies',
  'people',
  'rejects',
  'changes',
  'runs',
] as const satisfies readonly ContractTable[];

const options = {
  table: choice(
    'A table of the results; runs are the manifests (default with --as: all)',
    tableNames,
  ),
  as: choice(
    'JSON Schema of a record, a source of dbt, or PostgreSQL statements (default with --table: json)',
    ['json', 'dbt', 'postgres'],
  ),
  job: text('Job file or list: tables have the columns of the list, too, and its choice'),
};

export const schema = command({
  options,
  examples: {
    '$0 schema > job.schema.json':
      'then begin a job with "# yaml-language-server: $schema=job.schema.json"',
    '$0 schema --table companies': 'JSON Schema of a line of companies.jsonl',
    '$0 schema --as dbt > sources.yml': 'every table, with descriptions and tests',
    '$0 schema --as postgres | psql': 'creates the tables',
    '$0 schema --as postgres --job nightly.yaml | psql':
      'with the columns of its list, as a load would',
  },
  async facts({ table, as, job }, { print }) {
    const isOfJob = table === undefined && as === undefined && job === undefined;
    print(isOfJob ? jsonFile(jobJsonSchema()) : await tableSchema(table, as, job));
  },
});

async function tableSchema(
  table: Values<typeof options>['table'],
  language: Values<typeof options>['as'] = 'json',
  job?: string,
): Promise<string> {
  const list = job === undefined ? undefined : await readList(job);
  const { headers = [], schema: database } = list ?? {};
  const names = table ? [table] : tableNames;
  switch (language) {
    case 'json': {
      const [only, ...others] = names;
      if (!only || others.length > 0) {
        throw usage(`--as json describes one table: name it with --table ${tableNames.join('|')}`);
      }
      const contract = list ? fileTable(only, headers, list.choice) : tableContracts[only];
      return jsonFile(recordJsonSchema(contract));
    }
    case 'dbt':
      return dbtSource(
        names.map((name) => warehouseTable(name, headers)),
        database,
      );
    case 'postgres':
      return `${tableStatements(names, inputColumns(headers), database).join('\n').trimEnd()}\n`;
  }
}

/** What the tables of a job depend on: the columns of its list, and its choice among all columns. */
async function readList(given: string) {
  // No service is called, so a job without an address is fine here.
  const job = openJob(given, { url: sampleData });
  const { path, address, options: form } = job.input;
  if (path === '-') {
    throw usage('the list of this job is standard input, whose columns only a run knows');
  }
  await using input = await openInput(address ?? path, form);
  // Any line of JSON may bring a column.
  if (input.format === 'jsonl') for await (const _ of input.rows);
  const places = placesOf(job);
  const files = places.find((place) => place.kind !== 'postgres') ?? job.output;
  return {
    headers: [...input.columns],
    choice: { columns: files.columns, order: files.order ?? 'result-first' },
    schema: places.find((place) => place.kind === 'postgres')?.schema,
  };
}

function jsonFile(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
