import { promisify } from 'node:util';
import type { Client } from 'pg';
import { DossierError } from '../../../core/errors.ts';
import { decoded } from '../../../core/values/known-secrets.ts';
import { requirePackages } from '../../../platform/optional-packages.ts';
import { outsideFailure } from '../../../platform/outside-failures.ts';
import { withTimeout } from '../../../platform/retry.ts';
import { quoteIdentifier } from './warehouse-tables.ts';

/** Its errors never contain the address, which has a password. */
export type Warehouse = Awaited<ReturnType<typeof openWarehouse>>;

/** Long enough for a serverless database to wake up. */
const connectTimeoutMs = 20_000;
const closeTimeoutMs = 2_000;

export async function openWarehouse(address: URL, schema: string) {
  const target = warehouseAddress(address, schema);
  const { first, withoutTls } = clientAddresses(address, target);
  const packages = await loadPackages();
  const client = await connect(packages, first)
    .catch((error: Error) => {
      const hasNoTls = error.message === 'The server does not support SSL connections';
      if (hasNoTls && withoutTls !== undefined) return connect(packages, withoutTls);
      throw error;
    })
    .catch((error: unknown) => {
      throw warehouseError(error, 'connect', target);
    });
  let isBroken = false;
  let isCopying = false;
  // Without a listener, an error between two queries would crash the process.
  client.on('error', () => {
    isBroken = true;
  });
  const close = async () => {
    // An unfinished COPY accepts no other message, so the connection is cut.
    if (isBroken || isCopying) {
      client.connection.stream.destroy();
      return;
    }
    await withTimeout(client.end(), closeTimeoutMs).catch(() => {
      client.connection.stream.destroy();
    });
  };
  return {
    target,
    async query<Row extends object>(
      step: LoadStep,
      text: string,
      values?: (string | readonly string[])[],
    ) {
      try {
        return await client.query<Row>(text, values);
      } catch (error) {
        throw warehouseError(error, step, target);
      }
    },
    /** Nothing else may run on the connection until the COPY has ended. */
    copyInto(step: LoadStep, text: string) {
      isCopying = true;
      const stream = client.query(packages.copyFrom(text));
      // A broken connection never drains, so an error of the stream also ends the wait.
      const { promise: failed, reject } = Promise.withResolvers<never>();
      failed.catch(() => {});
      stream.on('error', reject);
      const wait = async (start: (done: (error?: Error | null) => void) => void) => {
        try {
          await Promise.race([failed, promisify(start)()]);
        } catch (error) {
          throw warehouseError(error, step, target);
        }
      };
      return {
        // The socket may still need the bytes after this resolves, so it gets a copy.
        write: (bytes: Uint8Array) => wait((done) => stream.write(Buffer.from(bytes), done)),
        async end() {
          await wait((done) => stream.end(done));
          isCopying = false;
        },
      };
    },
    /** Rolls back an open transaction. Never throws. */
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function loadPackages() {
  requirePackages('postgres');
  const [{ Client }, { from }] = await Promise.all([import('pg'), import('pg-copy-streams')]);
  return { Client, copyFrom: from };
}

async function connect(
  { Client }: Awaited<ReturnType<typeof loadPackages>>,
  connectionString: string,
): Promise<Client> {
  const client = new Client({
    connectionString,
    fallback_application_name: 'dossier',
    connectionTimeoutMillis: connectTimeoutMs,
    // Detects a vanished server within about 30 seconds.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  });
  // A second error of the socket would crash the process without a listener.
  const ignore = () => {};
  client.on('error', ignore);
  try {
    await client.connect();
  } catch (error) {
    // Otherwise the process would wait a minute for the server before it ends.
    client.connection.stream.destroy();
    throw error;
  }
  client.off('error', ignore);
  return client;
}

/** If the connection breaks before the reply, the load may have succeeded. */
export async function commitLoad({ query, target }: Warehouse): Promise<void> {
  const { command } = await query('commit', 'commit');
  // For an aborted transaction, PostgreSQL answers ROLLBACK instead of an error.
  if (command === 'COMMIT') return;
  const message = `PostgreSQL at ${shownServer(target)} rolled the load back instead of committing it`;
  throw new DossierError('WAREHOUSE_DOWN', message);
}

/** Error messages name the permission that the failed step needs. */
export type LoadStep =
  | 'connect'
  | 'begin'
  | 'lock'
  | 'read tables'
  | 'make tables'
  | 'stage'
  | 'merge'
  | 'commit';

export function warehouseError(error: unknown, step: LoadStep, target: WarehouseAddress) {
  const { database } = target;
  const where = `PostgreSQL at ${shownServer(target)}`;
  return outsideFailure('postgres', where, error, {
    step,
    database: database === defaultDatabase ? database : quoteIdentifier(database),
    schema: quoteIdentifier(target.schema),
  });
}

const defaultDatabase = '<default database of the user>';

type WarehouseAddress = ReturnType<typeof warehouseAddress>;

export function warehouseAddress(address: URL, schema: string) {
  const { searchParams, hostname, port, pathname } = address;
  const { PGHOST, PGPORT, PGDATABASE } = process.env;
  return {
    host: (searchParams.get('host') ?? decoded(hostname)) || PGHOST || 'localhost',
    port: (searchParams.get('port') ?? port) || PGPORT || '5432',
    database: decoded(pathname.slice(1)) || PGDATABASE || defaultDatabase,
    schema,
  };
}

function shownServer({ host, port, database }: WarehouseAddress) {
  return `${host}:${port}/${database}`;
}

export function shownWarehouse(target: WarehouseAddress): string {
  return `postgres://${shownServer(target)}, schema ${target.schema}`;
}

const sslModes = 'disable, allow, prefer, require, verify-ca, verify-full, no-verify';

/**
 * Without `sslmode`, TLS is optional, as in psql. The mode is always set, because node-postgres
 * treats `require` as `verify-full` and ignores `disable`.
 */
function clientAddresses(address: URL, { host }: WarehouseAddress) {
  const { searchParams } = address;
  const isLocal = host.startsWith('/');
  // URLs for JDBC and node-postgres have `ssl` instead.
  const ssl = searchParams.get('ssl')?.replace('true', 'require').replace('false', 'disable');
  const named = searchParams.get('sslmode') ?? ssl ?? process.env.PGSSLMODE;
  const mode = isLocal ? 'disable' : (named ?? 'prefer');
  if (!sslModes.split(', ').includes(mode)) {
    throw new DossierError(
      'WAREHOUSE_UNFIT',
      `sslmode in the connection URL must be one of ${sslModes}`,
    );
  }
  if (mode === 'verify-ca' && !searchParams.has('sslrootcert')) {
    throw new DossierError(
      'WAREHOUSE_UNFIT',
      'sslmode=verify-ca in the connection URL needs sslrootcert, the file with the certificate of the certificate authority',
    );
  }
  const mayDoWithout = mode === 'prefer' || mode === 'allow';
  return {
    first: withMode(address, mayDoWithout ? 'prefer' : mode),
    withoutTls: mayDoWithout ? withMode(address, 'disable') : undefined,
  };
}

function withMode(address: URL, mode: string) {
  const changed = new URL(address);
  changed.searchParams.delete('ssl');
  changed.searchParams.set('sslmode', mode);
  // `no-verify` exists only outside the libpq mode of node-postgres.
  if (mode !== 'no-verify') changed.searchParams.set('uselibpqcompat', 'true');
  return changed.href;
}
