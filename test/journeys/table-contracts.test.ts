import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { jobJsonSchema } from '../../src/job/job-schema.ts';
import { Manifest } from '../../src/results/manifest.ts';
import { runColumns, tableContracts } from '../../src/results/tables.ts';
import { queryParquetFooter } from '../results/read-parquet.ts';
import { runDossier } from '../support/run-dossier.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const job = `
name: leads
service: { url: embedded }
input: { path: leads.csv, key: Id }
identify: [{ column: Website }]
country: AU
people: { seniority: [C-Suite, VP], department: [Sales, Marketing] }
limits: { rate: none }
output: { path: out, format: [jsonl, parquet] }
`;
const list = 'Id,Website,Order\n1,larchhaven-apps-sample.com,first\n2,not a domain,second\n';

test('a run writes what dossier schema promises, under the same version', async () => {
  using folder = temporaryFolder();
  const dossier = (...args: string[]) => runDossier(args, { cwd: folder.path });
  const read = (name: string) => readFileSync(join(folder.path, 'out', name), 'utf8');
  const write = (text: string) => writeFileSync(join(folder.path, 'leads.csv'), text);
  writeFileSync(join(folder.path, 'leads.yaml'), job);
  write(list);
  await dossier('run', 'leads.yaml');
  write(`${list}3,acme.com,third\n`);
  const second = await dossier('run', 'leads.yaml');
  expect(second.stderr).not.toContain('dossier:');

  const manifest = Manifest.parse(JSON.parse(read('manifest.json')));
  const records = {
    companies: [],
    people: [],
    rejects: [],
    changes: [],
    runs: [Object.fromEntries(runColumns.map(({ name, value }) => [name, value(manifest)]))],
  };
  for (const [table, given] of Object.entries(records)) {
    const { stdout } = await dossier('schema', '--table', table);
    const schema = JSON.parse(stdout);
    expect(schema.$id).toBe(`urn:dossier:${table}:${manifest.schemaVersion}`);
    const lines = given.length > 0 ? given : read(`${table}.jsonl`).trim().split('\n').map(asJson);
    expect(lines.length, table).toBeGreaterThan(0);
    for (const record of lines) z.fromJSONSchema(schema).parse(record);
    // The schema refuses a missing value.
    const [first] = lines as Record<string, unknown>[];
    const [key = ''] = tableContracts[table as keyof typeof records].filled;
    expect(z.fromJSONSchema(schema).safeParse({ ...first, [key]: null }).success).toBe(false);
  }
  const footer = await queryParquetFooter(join(folder.path, 'out/companies.parquet'));
  expect(footer).toEqual({ 'dossier.schema_version': manifest.schemaVersion });
});

test('schema --as dbt has every table, with descriptions, types and key tests', async () => {
  const { stdout } = await runDossier(['schema', '--as', 'dbt']);
  // dbt reads descriptions as Jinja.
  expect(stdout).not.toMatch(/\{[{%#]/);
  const { version, sources } = parse(stdout);
  expect({ version, sources: sources.length }).toEqual({ version: 2, sources: 1 });
  const [{ name, tables }] = sources;
  expect([name, ...tables.map((table: { name: string }) => table.name)]).toEqual([
    'dossier',
    ...Object.keys(tableContracts),
  ]);
  const [companies, inPeople] = tables;
  expect(companies).toMatchObject({ config: { meta: { dossier_schema_version: '1.3' } } });
  expect(companies.columns).toContainEqual({
    name: 'row_key',
    description: expect.stringContaining('Key of the input row'),
    data_type: 'text',
    data_tests: ['not_null'],
  });
  const people = "(job || '|' || company_id || '|' || country || '|' || person_key)";
  expect(inPeople.data_tests).toEqual([{ unique: { arguments: { column_name: people } } }]);
  expect(JSON.parse((await runDossier(['schema'])).stdout)).toEqual(jobJsonSchema());
  const refused = await runDossier(['schema', '--as', 'json']);
  expect(refused).toMatchObject({ exitCode: 64, stdout: '' });
  expect(refused.stderr).toContain('--table companies|people');
});

function asJson(line: string): unknown {
  return JSON.parse(line);
}
