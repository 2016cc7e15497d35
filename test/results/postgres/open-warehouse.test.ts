import { inspect } from 'node:util';
import { expect, test, vi } from 'vitest';
import {
  type LoadStep,
  openWarehouse,
  placeOf,
  shownPlace,
  warehouseTrouble,
} from '../../../src/results/postgres/open-warehouse.ts';
import { freePort } from '../../support/free-port.ts';
import { sharedPostgres as postgres, testWithPostgres } from '../../support/postgres.ts';

const session = `select s.ssl, a.application_name as name from pg_stat_ssl s
  join pg_stat_activity a using (pid) where pid = pg_backend_pid()`;

testWithPostgres.for([
  ['', true],
  ['?sslmode=disable', false],
  ['?sslmode=prefer', true],
  ['?sslmode=require', true],
  ['?sslmode=no-verify', true],
  ['?sslmode=verify-ca&sslrootcert=ROOT', true],
  ['?sslmode=verify-full&sslrootcert=ROOT', true],
  ['?ssl=false', false],
  ['?ssl=true', true],
] as const)('TLS is as the address says: %s', async ([settings, ssl]) => {
  const { url, rootFile } = await postgres();
  const address = new URL(`${url}${settings.replace('ROOT', rootFile)}`);
  const warehouse = await openWarehouse(address, 'x');
  const { rows } = await warehouse.query('connect', session);
  await warehouse.close();
  expect(rows).toEqual([{ ssl, name: 'dossier' }]);
});

testWithPostgres.for([
  ['?sslmode=verify-full', 'WAREHOUSE_UNFIT', 'shows a certificate that is not trusted'],
  ['?sslmode=verify-ca', 'WAREHOUSE_UNFIT', 'needs sslrootcert'],
  [
    '?sslmode=sure',
    'WAREHOUSE_UNFIT',
    'sslmode in the address of the warehouse is none of disable',
  ],
  ['?sslmode=verify-full&sslrootcert=/none', 'WAREHOUSE_UNFIT', 'a file that sslrootcert'],
] as const)('what TLS lacks is told: %s', async ([settings, code, said]) => {
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

testWithPostgres(
  'an address without the password is told so, and no connection waits for one',
  async () => {
    const { url, sql } = await postgres();
    await expect(
      openWarehouse(new URL(url.replace('postgres@', 'loader@')), 'x'),
    ).rejects.toMatchObject({
      code: 'WAREHOUSE_REFUSED',
      message: expect.stringContaining('asks for a password, and the address has none'),
    });
    await expect.poll(() => sql(waiting)).toEqual(['0']);
  },
);

const waiting = `select count(*) from pg_stat_activity
  where backend_type = 'client backend' and pid <> pg_backend_pid()`;

test('nobody at the address is told with its host, port and database alone', async () => {
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
  ['postgres://u:p@db.example/100%', 'postgres://db.example:5432/100%, schema x'],
  ['postgres:///lake?host=/run/pg', 'postgres:///run/pg:5432/lake, schema x'],
  ['postgres://u:p@db.example', 'postgres://db.example:5432/the database of its user, schema x'],
])('%s is shown as %s', (address, shown) => {
  for (const name of ['PGHOST', 'PGPORT', 'PGDATABASE']) vi.stubEnv(name, undefined);
  expect(shownPlace(placeOf(new URL(address), 'x'))).toBe(shown);
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
  ['connect', undefined, 'WAREHOUSE_DOWN', 'cannot be reached: hunter says no'],
  ['connect', '28P01', 'WAREHOUSE_REFUSED', 'refuses the user, the password or the machine'],
  ['connect', '3D000', 'WAREHOUSE_UNFIT', 'has no such database'],
  ['connect', '53300', 'WAREHOUSE_DOWN', 'takes no more connections'],
  [
    'connect',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'WAREHOUSE_UNFIT',
    'not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)',
  ],
  ['merge', '57P01', 'WAREHOUSE_DOWN', 'has ended the connection (57P01)'],
  ['stage', 'ECONNRESET', 'WAREHOUSE_DOWN', 'has ended the connection (connection lost)'],
  ['stage', 'EPIPE', 'WAREHOUSE_DOWN', 'has ended the connection (connection lost)'],
  ['stage', '42501', 'WAREHOUSE_REFUSED', 'grant temporary on database "Lake"'],
  ['make tables', '42501', 'WAREHOUSE_REFUSED', 'grant usage, create on schema enrichment'],
  [
    'merge',
    '42501',
    'WAREHOUSE_REFUSED',
    'grant select, insert, update, delete on all tables in schema enrichment',
  ],
  ['stage', '25006', 'WAREHOUSE_DOWN', 'can only be read: it is a standby'],
  ['stage', '53100', 'WAREHOUSE_DOWN', 'has no room left on its disk'],
  ['merge', '53200', 'WAREHOUSE_DOWN', 'has no memory left'],
  ['merge', '53400', 'WAREHOUSE_DOWN', 'reaches a limit of its settings: hunter says no'],
  ['lock', '55P03', 'OUTPUT_BUSY', 'is still loading the same job into the schema enrichment'],
  ['merge', '55P03', 'OUTPUT_BUSY', 'has another session that holds a lock on the tables'],
  ['merge', '40001', 'OUTPUT_BUSY', 'had another session write to the same records'],
  ['merge', '40P01', 'OUTPUT_BUSY', 'had another session write to the same records'],
  ['merge', '57014', 'WAREHOUSE_DOWN', 'has cancelled the load'],
  ['stage', '22P05', 'WAREHOUSE_UNFIT', 'not encoded in UTF8'],
  ['merge', '23502', 'WAREHOUSE_UNFIT', 'takes no null: t.c'],
  ['make tables', '54011', 'WAREHOUSE_UNFIT', 'cannot hold a record of the result: hunter says no'],
  ['commit', '23505', 'WAREHOUSE_DOWN', 'says: hunter says no (23505)'],
])('at %s, %s is %s: %s', (step, code, ours, said) => {
  const told = warehouseTrouble(failure(code, 'hunter says no'), step, place);
  expect(told?.code).toBe(ours);
  expect(told?.message).toContain(`PostgreSQL at db.example:5432/Lake ${''}`);
  expect(told?.message).toContain(said);
  // Details of PostgreSQL hold records, and texts about a user name it.
  expect(inspect(told, { depth: 5 })).not.toContain('hunter22');
});

test('of an address with several hosts the first failure is told', () => {
  const failures = new AggregateError([failure('ECONNREFUSED', ''), failure('ETIMEDOUT', '')]);
  expect(warehouseTrouble(failures, 'connect', place)?.message).toContain('connection refused');
});
