import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect, isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { afterAll, expect, test, vi } from 'vitest';
import type { Column, FlatRecord } from '../../src/core/columns/columns.ts';
import type { RowRecord } from '../../src/core/columns/run-records.ts';
import { companiesColumns, flattenRow } from '../../src/core/columns/tables.ts';
import { postgresAddress, secretAddress } from '../../src/job/read-address.ts';
import { createDestination } from '../../src/results/destinations/create-destination.ts';
import {
  storableJson,
  storableKey,
  storableText,
} from '../../src/results/destinations/postgres/encode-copy.ts';
import {
  type LoadStep,
  openWarehouse,
  shownWarehouse,
  warehouseAddress,
  warehouseError,
} from '../../src/results/destinations/postgres/open-warehouse.ts';
import { prepareLoad } from '../../src/results/destinations/postgres/prepare-load.ts';
import type { Manifest } from '../../src/results/manifest.ts';
import { arbitraryAnswer, arbitraryText } from '../core/columns/arbitrary-answer.ts';
import { matchedRow, rejectedRow } from '../core/columns/sample-records.ts';
import { freePort } from '../support/free-port.ts';
import { makeCertificate } from '../support/make-certificate.ts';
import { sharedPostgres, startPostgres, testWithPostgres } from '../support/postgres.ts';
import { runDossier } from '../support/run-dossier.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { changeOf, factsOf, load, loadOptions, openSession } from './load-sample.ts';
import { peopleOf, sourceOf } from './sample-run.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
const rootFile = join(folder.path, 'root.pem');

/** A server that offers TLS, and asks one of its users for a password. */
const postgres = sharedPostgres(async () => {
  const certificate = makeCertificate('IP:127.0.0.1');
  writeFileSync(rootFile, certificate.cert);
  const access = ['host all loader 127.0.0.1/32 scram-sha-256'];
  const server = await startPostgres({ certificate, access });
  await server.sql(`create role loader login password 'hunter22%'`);
  return server;
});

const session = `select s.ssl, a.application_name as name from pg_stat_ssl s
  join pg_stat_activity a using (pid) where pid = pg_backend_pid()`;

testWithPostgres.for([
  ['', true],
  ['?sslmode=disable', false],
  ['?sslmode=no-verify', true],
  ['?sslmode=verify-full&sslrootcert=ROOT', true],
] as const)('TLS is as the address says: %s', async ([settings, ssl]) => {
  const { url } = await postgres();
  const address = new URL(`${url}${settings.replace('ROOT', rootFile)}`);
  const warehouse = await openWarehouse(address, 'x');
  const { rows } = await warehouse.query('connect', session);
  await warehouse.close();
  expect(rows).toEqual([{ ssl, name: 'dossier' }]);
});

testWithPostgres.for([
  ['?sslmode=verify-full', 'WAREHOUSE_UNFIT', 'has an untrusted certificate'],
  ['?sslmode=sure', 'WAREHOUSE_UNFIT', 'sslmode in the connection URL must be one of disable'],
] as const)('a TLS problem is reported: %s', async ([settings, code, said]) => {
  const { url } = await postgres();
  await expect(openWarehouse(new URL(`${url}${settings}`), 'x')).rejects.toMatchObject({
    code,
    message: expect.stringContaining(said),
  });
});

testWithPostgres(
  'a password opens the warehouse, and is nowhere in the error of a wrong one',
  async () => {
    const { url } = await postgres();
    const as = (password: string) => {
      const address = new URL(url);
      address.username = 'loader';
      address.password = password;
      return openWarehouse(address, 'x');
    };
    await (await as(encodeURIComponent('hunter22%'))).close();
    const refused = await as('hunter23').catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'WAREHOUSE_REFUSED' });
    expect(inspect(refused, { depth: 9, showHidden: true })).not.toMatch(/hunter|loader/);
  },
);

test('a dead address is reported with host, port and database only', async () => {
  const port = await freePort();
  const address = new URL(`postgres://loader:hunter22@127.0.0.1:${port}/lake?sslmode=disable`);
  const error = await openWarehouse(address, 'x').catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    code: 'WAREHOUSE_DOWN',
    message: `PostgreSQL at 127.0.0.1:${port}/lake cannot be reached: connection refused`,
  });
  expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/hunter|loader/);
});

test.each([
  ['postgres://u:p@db.example/lake', 'postgres://db.example:5432/lake, schema x'],
  ['postgres://u:p@[::1]:6000/%C3%A4%20b', 'postgres://[::1]:6000/ä b, schema x'],
  ['postgres:///lake?host=/run/pg', 'postgres:///run/pg:5432/lake, schema x'],
  [
    'postgres://u:p@db.example',
    'postgres://db.example:5432/<default database of the user>, schema x',
  ],
])('%s is shown as %s', (address, shown) => {
  for (const name of ['PGHOST', 'PGPORT', 'PGDATABASE']) vi.stubEnv(name, undefined);
  expect(shownWarehouse(warehouseAddress(new URL(address), 'x'))).toBe(shown);
});

test('a permission on the default database is named without quotes', () => {
  const target = warehouseAddress(new URL('postgres://db.example'), 'x');
  const told = warehouseError(failure('42501', 'no'), 'stage', target);
  expect(told?.message).toMatch(/grant temporary on database <default database of the user>$/);
});

const place = { host: 'db.example', port: '5432', database: 'Lake', schema: 'enrichment' };
const failure = (code: string | undefined, message: string) =>
  Object.assign(new Error(message), {
    code,
    detail: 'Key (a)=(hunter22)',
    table: 't',
    column: 'c',
  });

test.each<[LoadStep, string | undefined, string, string]>([
  ['connect', 'ECONNREFUSED', 'WAREHOUSE_DOWN', 'cannot be reached: connection refused'],
  ['connect', '28P01', 'WAREHOUSE_REFUSED', 'refuses the user, the password or connections'],
  ['connect', '3D000', 'WAREHOUSE_UNFIT', 'has no such database'],
  ['stage', 'ECONNRESET', 'WAREHOUSE_DOWN', 'ended the connection (connection lost)'],
  ['stage', '42501', 'WAREHOUSE_REFUSED', 'grant temporary on database "Lake"'],
  ['make tables', '42501', 'WAREHOUSE_REFUSED', 'grant usage, create on schema enrichment'],
  [
    'merge',
    '42501',
    'WAREHOUSE_REFUSED',
    'grant select, insert, update, delete on all tables in schema enrichment',
  ],
  ['stage', '25006', 'WAREHOUSE_DOWN', 'is read-only: it is a standby'],
  [
    'lock',
    '55P03',
    'OUTPUT_BUSY',
    'another process is loading the same job into the schema enrichment',
  ],
  ['merge', '55P03', 'OUTPUT_BUSY', 'has another session that holds a lock on the tables'],
  ['merge', '40001', 'OUTPUT_BUSY', 'reports that another session changed the same records'],
  ['stage', '22P05', 'WAREHOUSE_UNFIT', 'not encoded in UTF8'],
  ['merge', '23502', 'WAREHOUSE_UNFIT', 'requires a value in the column t.c'],
  ['commit', '23505', 'WAREHOUSE_DOWN', 'says: hunter says no (23505)'],
])('at %s, %s is %s: %s', (step, code, ours, said) => {
  const told = warehouseError(failure(code, 'hunter says no'), step, place);
  expect(told?.code).toBe(ours);
  expect(told?.message).toContain(`PostgreSQL at db.example:5432/Lake ${''}`);
  expect(told?.message).toContain(said);
  // Details of PostgreSQL hold records, and texts about a user name it.
  expect(inspect(told, { depth: 5 })).not.toContain('hunter22');
});

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
    'One record for each row of the list, with its company. Schema version 1.2.|Column `ABN` of the input.',
  ]);
});

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
  'a night without changes writes one line in runs, and the same run again none',
  async () => {
    const { url, sql } = await postgres();
    const people = [
      peopleOf('c_1', [{ person_id: 'p_1' }, { position: 'CFO' }, { position: 'CFO' }]),
    ];
    const source = { ...sourceOf(rows, people), changes: [changeOf()] };
    const tables = ['companies', 'people', 'rejects', 'changes', 'runs'];
    const versions = tables.map((table) => `select '${table}', xmin::text from same.${table}`);
    const written = () => sql(`${versions.join(' union all ')} order by 1, 2`);
    await load(source, loadOptions(url, 'same', factsOf(2)));
    const first = await written();
    await load(source, loadOptions(url, 'same', factsOf(2)));
    expect(await written()).toEqual(first);

    await load(sourceOf(rows, people), loadOptions(url, 'same', factsOf(3)));
    const later = await written();
    expect(later).toHaveLength(first.length + 1);
    expect(later).toEqual(expect.arrayContaining(first));
  },
);

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

testWithPostgres(
  'changed rows are updated, new ones inserted, and removed ones deleted',
  async () => {
    const { url, sql } = await postgres();
    const on = (night: number, some: readonly RowRecord[]) =>
      load(sourceOf(some), loadOptions(url, 'nightly', factsOf(night)));
    await on(1, rows);
    const same = `select xmin from nightly.companies where row_key = 'crm-1'`;
    const before = await sql(same);
    const changed = matchedRow(3, { identifier: 'acme.com' });
    await on(2, [rows[0] as RowRecord, changed, matchedRow(4)]);
    expect(await sql(same)).toEqual(before);
    expect(await sql('select row_key, identifier from nightly.companies order by 1')).toEqual([
      'crm-1|51824753556',
      'crm-3|acme.com',
      'crm-4|51824753556',
    ]);
    expect(await sql('select row_key from nightly.rejects')).toEqual([]);
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

test.each([
  ['is held', { held: [] }],
  ['is incomplete', { complete: false }],
  ['is a trial run of the first rows of the list', { limit: 2 }],
])('a result is not loaded when it %s', (why, facts) => {
  const address = secretAddress('postgres://127.0.0.1:1/db', 'output', postgresAddress);
  const { whyLeftOut, name } = createDestination({ kind: 'postgres', address, schema: 'none' });
  expect(name).toBe('postgres://127.0.0.1:1/db, schema none');
  expect(whyLeftOut(factsOf(2, facts))).toBe(`The result of r2 was not loaded, because it ${why}.`);
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

testWithPostgres(
  'people without an id are counted within their company, and none is lost',
  async () => {
    const { url, sql } = await postgres();
    const nameless = { position: 'Joiner' };
    const people = [
      peopleOf('c_1', [nameless, { person_id: '#1' }, nameless]),
      peopleOf('c_2', [nameless]),
    ];
    await load(sourceOf(rows, people), loadOptions(url, 'people', factsOf(1)));
    expect(
      await sql(
        'select company_id, person_key, person_id, position from people.people order by 1, 2',
      ),
    ).toEqual(['c_1|##1|#1|', 'c_1|#1||Joiner', 'c_1|#2||Joiner', 'c_2|#1||Joiner']);
    await load(sourceOf(rows), loadOptions(url, 'people', factsOf(2)));
    // The job searches no people any more.
    expect(await sql('select count(*) from people.people')).toEqual(['0']);
  },
);

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

testWithPostgres('the warehouse returns any records unchanged', async () => {
  const { url } = await postgres();
  await using session = await openSession(url);
  const headers = ['Company Name', 'ABN'];
  const columns = companiesColumns(headers);
  const row = fc.record({
    company: arbitraryAnswer(),
    cells: fc.array(fc.option(arbitraryText()), { maxLength: 2 }),
    message: fc.option(arbitraryText()),
    fetchedAt: fc
      .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
      .map((date) => date.toISOString()),
  });
  let night = 1;
  await load(sourceOf([]), loadOptions(url, 'any', factsOf(night)));
  await session.run('alter table "any".companies add column row_number bigint');
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 20 }), async (parts) => {
      night += 1;
      const rows = parts.map((part, index) => matchedRow(index + 1, part));
      const options = loadOptions(url, 'any', factsOf(night));
      await load(sourceOf(rows), options);
      const text = 'select * from "any".companies order by row_number';
      const { rows: stored } = await session.run(text);
      const expected = rows.map((one) => flattenRow(one, headers.length).cells);
      const given = stored.map((record) => columns.map(({ name }) => record[name]));
      return isDeepStrictEqual(
        given,
        expected.map((cells) =>
          columns.map((column, index) => asStored(column, cells[index] ?? null)),
        ),
      );
    }),
    { numRuns: 2 },
  );
});

testWithPostgres('a NUL and half a surrogate pair are stored as the documents say', async () => {
  const { url, sql } = await postgres();
  const company = {
    id: 'c_1',
    name: 'a\0b\ud800',
    phones: ['\0', '\udc00'],
    other: { 'k\0': '\0' },
  };
  await load(sourceOf([matchedRow(1, { company })]), loadOptions(url, 'odd', factsOf(1)));
  expect(
    await sql(`select company_name, company_phones, company_extra from odd.companies`),
  ).toEqual(['a\ufffdb\ufffd|["\ufffd", "\ufffd"]|{"other": {"k\ufffd": "\ufffd"}}']);
});

testWithPostgres.for([
  [3_000, '[[[[[[[[['],
  [50_000, '"nested t'],
] as const)('JSON of %i levels is stored as %s', async ([levels, start]) => {
  const { url, sql } = await postgres();
  let deep: unknown = 'end';
  for (let level = 0; level < levels; level += 1) deep = [deep];
  const source = sourceOf([matchedRow(1, { company: { id: 'c_1', deep } })]);
  await load(source, loadOptions(url, `deep_${levels}`, factsOf(1)));
  const stored = `select coalesce(company_extra->'deep', company_extra) from deep_${levels}.companies`;
  expect((await sql(stored))[0]?.slice(0, 9)).toBe(start);
});

testWithPostgres('a row that leaves the list changes no other record of the tables', async () => {
  const { url, sql } = await postgres();
  const people = [peopleOf('c_1', [{ person_id: 'p_1' }])];
  await load(
    sourceOf([rejectedRow(1), ...rows.slice(1)], people),
    loadOptions(url, 'left', factsOf(1)),
  );
  const stored =
    `select xmin, row_key from left_.companies union all select xmin, row_key from left_.rejects
    union all select xmin, person_key from left_.people order by 2`.replaceAll('left_', '"left"');
  const before = await sql(stored);
  const moved = rows.slice(1).map((row, index) => ({ ...row, number: index + 1 }));
  const shifted = people.map((of) => ({ ...of, rows: [9] }));
  await load(sourceOf(moved, shifted), loadOptions(url, 'left', factsOf(2)));
  expect(await sql(stored)).toEqual(before.filter((line) => !line.endsWith('|crm-1')));
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

testWithPostgres('keys that PostgreSQL would treat as equal stay different', async () => {
  const { url, sql } = await postgres();
  const keys = ['a\0', 'a\ufffd', 'a\0\0', 'a\ufffd\0', 'a\ud800', 'a\ud801'];
  const rows = keys.map((key, index) => ({ ...matchedRow(index + 1), key }));
  const nightly = async (night: number) => {
    await load(sourceOf(rows), loadOptions(url, 'keys', factsOf(night)));
    return await sql('select xmin, row_key from keys.companies order by row_key');
  };
  const first = await nightly(1);
  expect(first).toHaveLength(keys.length);
  expect(await nightly(2)).toEqual(first);
  const stored = await sql('select row_key from keys.companies order by row_key');
  expect(stored).toContain('a\ufffd');
  const others = stored.filter((key) => key !== 'a\ufffd');
  expect(others.every((key) => /^a\ufffd+~[0-9a-f]{16}$/.test(key))).toBe(true);
});

/** A cell as node-postgres gives it back. */
function asStored(
  { name, type }: Pick<Column, 'name' | 'type'>,
  cell: FlatRecord[number],
): unknown {
  if (cell === null) return null;
  if (name === 'company_id') return storableKey(cell as string);
  switch (type) {
    case 'text':
      return storableText(cell as string);
    case 'integer':
      return String(cell);
    case 'decimal':
      // JavaScript writes -0 as 0.
      return cell === 0 ? 0 : cell;
    case 'timestamp':
      return new Date(cell as string);
    case 'list':
      return (cell as readonly string[]).map(storableText);
    case 'json':
      return JSON.parse(storableJson(cell as string));
    default:
      return cell;
  }
}
