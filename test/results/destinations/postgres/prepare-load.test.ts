import { expect } from 'vitest';
import { prepareLoad } from '../../../../src/results/destinations/postgres/prepare-load.ts';
import type { Manifest } from '../../../../src/results/manifest.ts';
import { matchedRow, rejectedRow } from '../../../core/columns/sample-records.ts';
import { sharedPostgres, testWithPostgres } from '../../../support/postgres.ts';
import { peopleOf, sourceOf } from '../../sample-run.ts';
import { changeOf, factsOf, load, loadOptions } from './load-sample.ts';

const postgres = sharedPostgres();

const rows = [matchedRow(1), rejectedRow(2), matchedRow(3)];

testWithPostgres('the first load makes schema and tables, and they hold the result', async () => {
  const { url, sql } = await postgres();
  const people = [peopleOf('c_1', [{ person_id: 'p_1', position: 'CFO' }])];
  const source = { ...sourceOf(rows, people), changes: [changeOf({ run: 'r1' })] };
  const summary = await load(source, loadOptions(url, 'first', factsOf(1)));
  expect(summary).toMatchObject({
    folder: `${url.replace('postgres@', '')}, schema first`,
    isSame: false,
    files: [],
    rows: { total: 3, matched: 2 },
    people: 1,
  });
  expect(
    await sql(`select job, row_key, status, input_abn, company_phones->>1
      from first.companies order by row_key`),
  ).toEqual([
    'leads|crm-1|matched|51 824 753 556|1300 555 012',
    'leads|crm-2|not_found|51 824 753 556|',
    'leads|crm-3|matched|51 824 753 556|1300 555 012',
  ]);
  expect(await sql('select row_key, reason, input_company_name from first.rejects')).toEqual([
    'crm-2|not_found|Harbour Lane',
  ]);
  expect(await sql(`select company_id, person_key, position, row_keys from first.people`)).toEqual([
    'c_1|p_1|CFO|["crm-1"]',
  ]);
  expect(await sql(`select run, change_number, after->>'company_name' from first.changes`)).toEqual(
    ['r1|1|Acme 2'],
  );
  expect(
    await sql(`select job, run_id, counts_rows, manifest->'rows'->>'matched', loaded_at > now() - interval '1h'
      from first.runs`),
  ).toEqual(['leads|r1|3|2|t']);
  const about = await sql(`select obj_description('first.companies'::regclass),
    col_description('first.rejects'::regclass, (select attnum from pg_attribute
      where attrelid = 'first.rejects'::regclass and attname = 'input_abn'))`);
  expect(about).toEqual([
    'One record for each row of the list, with its company. Schema version 1.3.|Column `ABN` of the input.',
  ]);
});

testWithPostgres('a result that is known to be the same is not read', async () => {
  const { url, sql } = await postgres();
  await load(sourceOf(rows), loadOptions(url, 'known', factsOf(1)));
  const unread = sourceOf([]);
  const asked: Manifest[] = [];
  const findSame = (last: Manifest) => {
    asked.push(last);
    return { tally: undefined };
  };
  const source = { ...unread, changes: [changeOf()] };
  const summary = await load(source, loadOptions(url, 'known', factsOf(2), { findSame }));
  expect(asked).toMatchObject([{ run: 'r1', rows: { total: 3 }, files: [] }]);
  expect(summary).toMatchObject({
    isSame: true,
    rows: { total: 3 },
    changes: { company_changed: 1 },
  });
  expect(await sql('select count(*) from known.changes')).toEqual(['1']);
  const left = await sql('select count(*) from known.companies');
  expect(left).toEqual(['3']);

  // Tables that somebody has emptied are filled again.
  await sql('truncate known.companies');
  await load(sourceOf(rows), loadOptions(url, 'known', factsOf(3), { findSame }));
  expect(await sql('select count(*) from known.companies')).toEqual(['3']);
});

testWithPostgres('an older run does not replace a newer one', async () => {
  const { url, sql } = await postgres();
  await load(sourceOf(rows), loadOptions(url, 'back', factsOf(2)));
  const older = loadOptions(url, 'back', factsOf(1));
  await expect(load(sourceOf(rows.slice(0, 1)), older)).rejects.toThrow(
    /^r1 was not written to .+, because r2 \(started .+\) is there and is later$/,
  );
  const count = 'select count(*) from back.companies';
  expect(await sql(count)).toEqual(['3']);
});

testWithPostgres('changes stay run by run, also if a new ledger starts at r1 again', async () => {
  const { url, sql } = await postgres();
  const on = (night: number, run: string, changes = [changeOf({ run }), changeOf({ run })]) => {
    const options = loadOptions(url, 'nights', factsOf(night, { run }));
    return load({ ...sourceOf(rows), changes }, options);
  };
  await on(1, 'r1');
  await on(2, 'r2');
  await on(3, 'r1');
  // The same run with other changes, as the job compares other columns now.
  await on(3, 'r1', [changeOf({ run: 'r1', companyName: 'Other' })]);
  expect(
    await sql(`select c.run, c.run_started_at::date, count(*), min(c.company_name) from nights.changes c
      join nights.runs r on r.job = c.job and r.run_id = c.run and r.run_started_at = c.run_started_at
      group by 1, 2 order by 2`),
  ).toEqual(['r1|2026-08-01|2|Acme', 'r2|2026-08-02|2|Acme', 'r1|2026-08-03|1|Other']);
});

testWithPostgres('of two loads of a job at once, the second waits for a limited time', async () => {
  const { url, sql } = await postgres();
  const first = await prepareLoad(sourceOf(rows), loadOptions(url, 'busy', factsOf(1)));
  const second = loadOptions(url, 'busy', factsOf(2), { lockTimeoutMs: 50 });
  await expect(prepareLoad(sourceOf(rows), second)).rejects.toMatchObject({
    code: 'OUTPUT_BUSY',
    message: expect.stringContaining(
      'another process is loading the same job into the schema busy',
    ),
  });
  const waiting = load(sourceOf(rows), loadOptions(url, 'busy', factsOf(2)));
  // Another job that finds no tables waits for those of the first.
  const other = load(sourceOf(rows), loadOptions(url, 'busy', factsOf(1, {}, 'partners')));
  await first.commit();
  await Promise.all([waiting, other]);
  expect(await sql('select job, run_id from busy.runs order by 1, 2')).toEqual([
    'leads|r1',
    'leads|r2',
    'partners|r1',
  ]);
});

testWithPostgres(
  'a load that is given up, or stopped by its signal, leaves nothing behind',
  async () => {
    const { url, sql } = await postgres();
    const prepared = await prepareLoad(sourceOf(rows), loadOptions(url, 'given_up', factsOf(1)));
    await prepared.abort();
    await prepared.abort();
    const stop = new AbortController();
    const many = sourceOf(Array.from({ length: 1_000 }, (_, index) => matchedRow(index + 1)));
    const reading = {
      ...many,
      records: {
        ...many.records,
        *rows() {
          for (const row of many.records.rows()) {
            if (row.number > 300) stop.abort(new Error('enough'));
            yield row;
          }
        },
      },
    } as typeof many;
    const options = loadOptions(url, 'given_up', factsOf(1), { signal: stop.signal });
    await expect(prepareLoad(reading, options)).rejects.toThrow('enough');
    const confirm = () => {
      throw new Error('pruned');
    };
    const unconfirmed = loadOptions(url, 'given_up', factsOf(1), { confirm });
    await expect(prepareLoad(sourceOf(rows), unconfirmed)).rejects.toThrow('pruned');
    expect(await sql(`select 1 from pg_namespace where nspname = 'given_up'`)).toEqual([]);
    const open = `select count(*) from pg_stat_activity where application_name = 'dossier'`;
    await expect.poll(() => sql(open)).toEqual(['0']);
  },
);

/** A user with some rights, and the schema that it loads into. */
async function asUser(name: string, rights: string) {
  const { url, sql } = await postgres();
  await sql(`create role ${name} login; ${rights}`);
  const address = new URL(url);
  address.username = name;
  return { url: address.href, sql };
}

testWithPostgres(
  'the rights that the documents list are enough, for a schema that is there',
  async () => {
    const { url } = await asUser(
      'enough',
      'create schema granted; grant usage, create on schema granted to enough',
    );
    await load(sourceOf(rows), loadOptions(url, 'granted', factsOf(1)));
    await load(sourceOf(rows), loadOptions(url, 'granted', factsOf(2)));
  },
);
