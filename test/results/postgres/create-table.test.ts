import { expect } from 'vitest';
import { schemaVersion } from '../../../src/core/columns/columns.ts';
import { flattenRow } from '../../../src/core/columns/tables.ts';
import { jsonLine } from '../../../src/results/lines.ts';
import { tableContracts, warehouseTables } from '../../../src/results/tables.ts';
import { reservedWords } from '../../core/columns/reserved-words.ts';
import { fullCompany, matchedRow } from '../../core/columns/sample-records.ts';
import { startPostgres, testWithPostgres } from '../../support/postgres.ts';
import { runDossier } from '../../support/run-dossier.ts';

const contracts = Object.values(warehouseTables);

testWithPostgres('PostgreSQL has the tables that dossier schema prints', async () => {
  await using postgres = await startPostgres();
  const { stdout: statements } = await runDossier(['schema', '--as', 'postgres']);
  await postgres.sql(statements);
  // Twice is as good as once.
  await postgres.sql(statements);

  const columns = await postgres.sql(`
    select c.table_name || '.' || c.column_name, c.data_type, c.is_nullable,
      col_description(c.table_name::regclass, c.ordinal_position)
    from information_schema.columns c where c.table_schema = 'public'
    order by c.table_name, c.ordinal_position`);
  const types = {
    ...{ text: 'text', integer: 'bigint', decimal: 'double precision', boolean: 'boolean' },
    ...{ timestamp: 'timestamp with time zone', list: 'jsonb', integers: 'jsonb', json: 'jsonb' },
  };
  const promised = [...contracts]
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((table) =>
      table.columns.map(({ name, type, description }) => {
        const isNullable = table.filled.includes(name) ? 'NO' : 'YES';
        return `${table.name}.${name}|${types[type]}|${isNullable}|${description}`;
      }),
    );
  expect(columns).toEqual(promised);

  const keys = await postgres.sql(`
    select conrelid::regclass, pg_get_constraintdef(oid) from pg_constraint
    where connamespace = 'public'::regnamespace order by 1::text`);
  expect(keys.sort()).toEqual([
    'changes|PRIMARY KEY (job, run, run_started_at, change_number)',
    'companies|PRIMARY KEY (job, row_key)',
    'people|PRIMARY KEY (job, company_id, country, person_key)',
    'rejects|PRIMARY KEY (job, row_key)',
    'runs|PRIMARY KEY (job, run_id, run_started_at)',
  ]);
  const about = await postgres.sql(`select obj_description('companies'::regclass)`);
  expect(about).toEqual([expect.stringContaining(`Schema version ${schemaVersion}.`)]);

  // A record of JSONL fits as it is, with the name of its job.
  const { cells } = flattenRow(matchedRow(1, { company: fullCompany() }), 0);
  const line = jsonLine(tableContracts.companies.columns)(cells);
  const [loaded] = await postgres.sql(`
    insert into companies select * from
      jsonb_populate_record(null::companies, '{"job": "leads"}'::jsonb || '${line.replaceAll("'", "''")}');
    select row_key, company_phones->>0, company_employee_count + 1, fetched_at at time zone 'UTC' from companies`);
  expect(loaded).toBe('crm-1|+61 2 5550 1234|185|2026-08-22 04:12:09.113');

  // Words differ from one version of PostgreSQL to the next; those that it has must be known.
  const reserved = await postgres.sql(
    `select word from pg_get_keywords() where catcode in ('R', 'T') order by word`,
  );
  expect(reserved.filter((word) => !reservedWords.has(word))).toEqual([]);
});
