import { expect } from 'vitest';
import { matchedRow, rejectedRow } from '../../../core/columns/sample-records.ts';
import { sharedPostgres, testWithPostgres } from '../../../support/postgres.ts';
import { runDossier } from '../../../support/run-dossier.ts';
import { sourceOf } from '../../sample-run.ts';
import { factsOf, load, loadOptions } from './load-sample.ts';

const postgres = sharedPostgres();

const rows = [matchedRow(1), rejectedRow(2), matchedRow(3)];

testWithPostgres(
  'dossier schema prints the tables of a load, without the columns of the list',
  async () => {
    const { url, sql } = await postgres();
    const { stdout } = await runDossier(['schema', '--as', 'postgres']);
    // Twice is as good as once.
    await sql(`create schema printed; set search_path to printed; ${stdout}${stdout}`);
    await load(sourceOf(rows), loadOptions(url, 'made', factsOf(1)));
    const made = (schema: string) =>
      sql(`select table_name, column_name, data_type, is_nullable,
        col_description((table_schema || '.' || table_name)::regclass, ordinal_position)
      from information_schema.columns
      where table_schema = '${schema}' and column_name not in ('input_company_name', 'input_abn')
      order by table_name, ordinal_position`);
    expect(await made('printed')).toEqual(await made('made'));
  },
);

testWithPostgres(
  'jobs share the tables of a schema and leave each other alone, with the columns of all lists',
  async () => {
    const { url, sql } = await postgres();
    const own = sourceOf(rows);
    const withColumns = (inputColumns: string[]) => ({
      ...own,
      records: { ...own.records, inputColumns },
    });
    await load(own, loadOptions(url, 'shared', factsOf(1)));
    const others = withColumns([
      'Status',
      'row key',
      'Where did you hear of us, and what did you think of it then?',
    ]);
    const options = loadOptions(url, 'shared', factsOf(1, {}, 'partners'));
    await load(others, options);
    const long = 'input_where_did_you_hear_of_us_and_what_did_you_think_of_it_the';
    expect(Buffer.byteLength(long)).toBe(63);
    expect(
      await sql(`select job, count(*), max(status), min(input_status), min(input_row_key), min(input_abn), min(${long})
      from shared.rejects group by 1 order by 1`),
    ).toEqual([
      'leads|1|not_found|||51 824 753 556|',
      'partners|1|not_found|Harbour Lane|51 824 753 556||',
    ]);

    // A list that has a column no longer has no values in it; the column stays.
    await load(withColumns(['Status']), { ...options, facts: factsOf(2, {}, 'partners') });
    expect(
      await sql(`select job, count(input_status), count(input_row_key), count(input_abn) from shared.companies
      group by 1 order by 1`),
    ).toEqual(['leads|0|0|3', 'partners|3|0|0']);
  },
);

testWithPostgres(
  'tables of an earlier interface get the columns that they lack, and keep those that it has no longer',
  async () => {
    const { url, sql } = await postgres();
    await load(sourceOf(rows), loadOptions(url, 'grown', factsOf(1)));
    await sql(`alter table grown.companies drop column company_phones, drop column input_abn, add column score int;
    alter table grown.people drop column extra; drop table grown.changes;
    update grown.companies set score = 7`);
    await load(sourceOf(rows), loadOptions(url, 'grown', factsOf(2)));
    expect(
      await sql(`select row_key, company_phones->>0, input_abn, score from grown.companies
      where row_key = 'crm-1'`),
    ).toEqual(['crm-1|+61 2 5550 1234|51 824 753 556|7']);
  },
);

testWithPostgres('a column of another type is refused', async () => {
  const { url, sql } = await postgres();
  await load(sourceOf(rows), loadOptions(url, 'unfit', factsOf(1)));
  await sql('alter table unfit.companies alter column company_employee_count type text');
  const refused = load(sourceOf([]), loadOptions(url, 'unfit', factsOf(2)));
  await expect(refused).rejects.toMatchObject({
    code: 'WAREHOUSE_UNFIT',
    message: expect.stringContaining(
      'company_employee_count of unfit.companies in the warehouse has the type text, but Dossier needs bigint',
    ),
  });
});

testWithPostgres('row numbers that a user added are right after each changed result', async () => {
  const { url, sql } = await postgres();
  await load(sourceOf(rows), loadOptions(url, 'numbered', factsOf(1)));
  await sql('alter table numbered.companies add column row_number bigint');
  const moved = rows.slice(1).map((row, index) => ({ ...row, number: index + 1 }));
  await load(sourceOf(moved), loadOptions(url, 'numbered', factsOf(2)));
  const numbers = 'select row_key, row_number from numbered.companies order by 1';
  expect(await sql(numbers)).toEqual(['crm-2|1', 'crm-3|2']);
});
