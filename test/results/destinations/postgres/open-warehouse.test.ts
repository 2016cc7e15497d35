import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, expect, test, vi } from 'vitest';
import {
  type LoadStep,
  openWarehouse,
  shownWarehouse,
  warehouseAddress,
  warehouseError,
} from '../../../../src/results/destinations/postgres/open-warehouse.ts';
import { freePort } from '../../../support/free-port.ts';
import { makeCertificate } from '../../../support/make-certificate.ts';
import { sharedPostgres, startPostgres, testWithPostgres } from '../../../support/postgres.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

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
