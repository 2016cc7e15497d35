import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, expect, test, vi } from 'vitest';
import {
  openWarehouse,
  placeOf,
  shownPlace,
} from '../../../../src/results/postgres/open-warehouse.ts';
import { freePort } from '../../../support/free-port.ts';
import { makeCertificate } from '../../../support/make-certificate.ts';
import { isOnPath, testIf } from '../../../support/needs.ts';
import { type RunningPostgres, startPostgres } from '../../../support/postgres.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const needed = ['postgres', 'initdb', 'psql', 'openssl'];
const where = testIf(needed.every(isOnPath), `${needed.join(', ')} are not all on PATH`);

/** A server that offers TLS, and asks one of its users for a password. */
const folder = temporaryFolder();
const rootFile = join(folder.path, 'root.pem');
let started: Promise<RunningPostgres> | undefined;
const postgres = () => {
  started ??= (async () => {
    const certificate = makeCertificate('IP:127.0.0.1');
    writeFileSync(rootFile, certificate.cert);
    const access = ['host all loader 127.0.0.1/32 scram-sha-256'];
    const server = await startPostgres({ certificate, access });
    await server.sql(`create role loader login password 'hunter22%'`);
    return server;
  })();
  return started;
};
afterAll(async () => {
  await (await started)?.[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const session = `select s.ssl, a.application_name as name from pg_stat_ssl s
  join pg_stat_activity a using (pid) where pid = pg_backend_pid()`;

where.for([
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
  const { url } = await postgres();
  const address = new URL(`${url}${settings.replace('ROOT', rootFile)}`);
  const warehouse = await openWarehouse(address, 'x');
  const { rows } = await warehouse.query('connect', session);
  await warehouse.close();
  expect(rows).toEqual([{ ssl, name: 'dossier' }]);
});

where.for([
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

where('a password opens the warehouse, and is nowhere in the error of a wrong one', async () => {
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
});

where('an address without the password is told so, and no connection waits for one', async () => {
  const { url, sql } = await postgres();
  await expect(
    openWarehouse(new URL(url.replace('postgres@', 'loader@')), 'x'),
  ).rejects.toMatchObject({
    code: 'WAREHOUSE_REFUSED',
    message: expect.stringContaining('asks for a password, and the address has none'),
  });
  await expect.poll(() => sql(waiting)).toEqual(['0']);
});

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
