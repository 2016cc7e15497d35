import { promisify } from 'node:util';
import type { Client } from 'pg';
import { DossierError } from '../../core/errors.ts';
import { decoded } from '../../core/runtime/log/known-secrets.ts';
import { requirePackages } from '../../core/runtime/optional-packages.ts';
import { outsideFailure } from '../../core/runtime/outside-failures.ts';
import { withTimeout } from '../../core/runtime/retry.ts';
import { quoteIdentifier } from './warehouse-tables.ts';

/** A connection to the warehouse. Whatever it throws is a sentence without the address. */
export type Warehouse = Awaited<ReturnType<typeof openWarehouse>>;

/** Long enough for a server that is woken up by the connection. */
const connectTimeoutMs = 20_000;
/** Nobody waits longer for a server that does not say good-bye. */
const closeTimeoutMs = 2_000;

export async function openWarehouse(address: URL, schema: string) {
  const place = placeOf(address, schema);
  const { first, withoutTls } = clientAddresses(address, place);
  const packages = await loadPackages();
  const client = await connect(packages, first)
    .catch((error: Error) => {
      const hasNoTls = error.message === 'The server does not support SSL connections';
      if (hasNoTls && withoutTls !== undefined) return connect(packages, withoutTls);
      throw error;
    })
    .catch((error: unknown) => {
      throw warehouseTrouble(error, 'connect', place);
    });
  let isBroken = false;
  let isCopying = false;
  const asTrouble = (error: unknown, step: LoadStep) => warehouseTrouble(error, step, place);
  // What waits for an answer is told by its own error; this is for the time between.
  client.on('error', () => {
    isBroken = true;
  });
  return {
    place,
    /** `step` says what for, should it fail. Several statements in one text cannot have values. */
    async query<Row extends object>(
      step: LoadStep,
      text: string,
      values?: (string | readonly string[])[],
    ) {
      try {
        return await client.query<Row>(text, values);
      } catch (error) {
        throw asTrouble(error, step);
      }
    },
    /** Starts a COPY from lines that are given to it. Nothing else may run until it has ended. */
    copyInto(step: LoadStep, text: string) {
      isCopying = true;
      const stream = client.query(packages.copyFrom(text));
      // A connection that is cut drains no more: what waits for that has to hear of the error.
      const { promise: failed, reject } = Promise.withResolvers<never>();
      failed.catch(() => {});
      stream.on('error', reject);
      const wait = async (start: (done: (error?: Error | null) => void) => void) => {
        try {
          await Promise.race([failed, promisify(start)()]);
        } catch (error) {
          throw asTrouble(error, step);
        }
      };
      return {
        // The socket may still hold what it was given when this resolves.
        write: (bytes: Uint8Array) => wait((done) => stream.write(Buffer.from(bytes), done)),
        async end() {
          await wait((done) => stream.end(done));
          isCopying = false;
        },
      };
    },
    /** Ends the connection, and with it a transaction that is not committed. It never fails. */
    async close() {
      // A COPY that has not ended takes no other message.
      if (isBroken || isCopying) {
        client.connection.stream.destroy();
        return;
      }
      await withTimeout(client.end(), closeTimeoutMs).catch(() => {
        client.connection.stream.destroy();
      });
    },
  };
}

/** Most jobs have no warehouse, so these come only with one. */
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
    // A server that has vanished without a word is noticed within half a minute.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  });
  // After a failed attempt the socket may fail once more, when nobody waits any longer.
  const ignore = () => {};
  client.on('error', ignore);
  try {
    await client.connect();
  } catch (error) {
    // The server would wait a minute for a password, and the process for the server.
    client.connection.stream.destroy();
    throw error;
  }
  client.off('error', ignore);
  return client;
}

/** Commits. If the connection ends before the reply, the load may be there: the next delivery finds out. */
export async function commitLoad({ query, place }: Warehouse): Promise<void> {
  const { command } = await query('commit', 'commit');
  // An aborted transaction answers so, without an error.
  if (command === 'COMMIT') return;
  const message = `PostgreSQL at ${shownServer(place)} has taken the load back when it was to be committed`;
  throw new DossierError('WAREHOUSE_DOWN', message);
}

/** What a load is doing; it decides which right is missing where one is. */
export type LoadStep =
  | 'connect'
  | 'begin'
  | 'lock'
  | 'read tables'
  | 'make tables'
  | 'stage'
  | 'merge'
  | 'commit';

/** Says in a sentence what PostgreSQL, or the way to it, complains about. */
export function warehouseTrouble(error: unknown, step: LoadStep, place: WarehousePlace) {
  const [database, schema] = [place.database, place.schema].map(quoteIdentifier);
  const where = `PostgreSQL at ${shownServer(place)}`;
  return outsideFailure('postgres', where, error, { step, database, schema });
}

type WarehousePlace = ReturnType<typeof placeOf>;

/** What may be said of a warehouse: its address has a user and a password, and is a secret. */
export function placeOf(address: URL, schema: string) {
  const { searchParams, hostname, port, pathname } = address;
  const { PGHOST, PGPORT, PGDATABASE } = process.env;
  return {
    host: (searchParams.get('host') ?? decoded(hostname)) || PGHOST || 'localhost',
    port: (searchParams.get('port') ?? port) || PGPORT || '5432',
    database: decoded(pathname.slice(1)) || PGDATABASE || 'the database of its user',
    schema,
  };
}

/** `db.example:5432/warehouse` */
function shownServer({ host, port, database }: WarehousePlace): string {
  return `${host}:${port}/${database}`;
}

/** `postgres://db.example:5432/warehouse, schema enrichment` */
export function shownPlace(place: WarehousePlace): string {
  return `postgres://${shownServer(place)}, schema ${place.schema}`;
}

const sslModes = 'disable, allow, prefer, require, verify-ca, verify-full, no-verify';

/**
 * An address as node-postgres takes it, and the one to try where the server has no TLS. TLS is as psql has it for the same address: where it names no `sslmode`, TLS is used if the server has it.
 * node-postgres by itself takes `require` for `verify-full`, and nothing for `disable`.
 */
function clientAddresses(address: URL, { host }: WarehousePlace) {
  const { searchParams } = address;
  const isLocal = host.startsWith('/');
  // `ssl` is how JDBC and node-postgres say it.
  const ssl = searchParams.get('ssl')?.replace('true', 'require').replace('false', 'disable');
  const named = searchParams.get('sslmode') ?? ssl ?? process.env.PGSSLMODE;
  const mode = isLocal ? 'disable' : (named ?? 'prefer');
  if (!sslModes.split(', ').includes(mode)) {
    throw new DossierError(
      'WAREHOUSE_UNFIT',
      `sslmode in the address of the warehouse is none of ${sslModes}`,
    );
  }
  if (mode === 'verify-ca' && !searchParams.has('sslrootcert')) {
    throw new DossierError(
      'WAREHOUSE_UNFIT',
      'sslmode=verify-ca in the address of the warehouse needs sslrootcert, the file with the certificate of its authority',
    );
  }
  const mayDoWithout = mode === 'prefer' || mode === 'allow';
  return {
    first: withMode(address, mayDoWithout ? 'prefer' : mode),
    withoutTls: mayDoWithout ? withMode(address, 'disable') : undefined,
  };
}

function withMode(address: URL, mode: string): string {
  const changed = new URL(address);
  changed.searchParams.delete('ssl');
  changed.searchParams.set('sslmode', mode);
  // `no-verify` is of node-postgres itself, which knows it only in its own terms.
  if (mode !== 'no-verify') changed.searchParams.set('uselibpqcompat', 'true');
  return changed.href;
}
