import type { Client } from 'pg';
import { releaseMemory } from '../../../runtime/memory/release-memory.ts';
import { requirePackages } from '../../../runtime/optional-packages.ts';
import { clientAddresses, placeOf, type WarehousePlace } from './warehouse-address.ts';
import { type LoadStep, warehouseTrouble } from './warehouse-trouble.ts';

/** A connection to the warehouse. Whatever it throws is a sentence without the address. */
export interface Warehouse {
  readonly place: WarehousePlace;
  /** `step` says what for, should it fail. */
  query<Row extends object>(
    step: LoadStep,
    text: string,
    values?: readonly unknown[],
  ): Promise<QueryResult<Row>>;
  /** Starts a COPY from lines that are given to it. Nothing else may run until it has ended. */
  copyInto(step: LoadStep, text: string): CopyStream;
  /** Ends the connection, and with it a transaction that is not committed. It never fails. */
  close(): Promise<void>;
}

export interface QueryResult<Row> {
  readonly rows: Row[];
  readonly rowCount: number;
  /** What PostgreSQL says that it has done: `COMMIT`. */
  readonly command: string;
}

export interface CopyStream {
  /** Resolves when the next lines may come. The memory of the lines belongs to the stream. */
  write(bytes: Uint8Array): Promise<void>;
  end(): Promise<void>;
}

/** Long enough for a server that is woken up by the connection. */
const connectTimeoutMs = 20_000;
/** Nobody waits longer for a server that does not say good-bye. */
const closeTimeoutMs = 2_000;

export async function openWarehouse(address: URL, schema: string): Promise<Warehouse> {
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
  const told = (error: unknown, step: LoadStep) => warehouseTrouble(error, step, place);
  // What waits for an answer is told by its own error; this is for the time between.
  client.on('error', () => {
    isBroken = true;
  });
  return {
    place,
    async query(step, text, values = []) {
      try {
        // Several statements in one text cannot have values.
        const { rows, rowCount, command } = await client.query(
          text,
          values.length > 0 ? [...values] : undefined,
        );
        return { rows, rowCount: rowCount ?? 0, command };
      } catch (error) {
        throw told(error, step);
      }
    },
    copyInto(step, text) {
      isCopying = true;
      const stream = client.query(packages.copyFrom(text));
      let failure: unknown;
      let fail: ((error: unknown) => void) | undefined;
      // A connection that is cut drains no more: what waits for that has to hear of the error.
      stream.on('error', (error) => {
        failure ??= error;
        fail?.(error);
      });
      const wait = (start: (done: (error?: Error | null) => void) => void) =>
        new Promise<void>((resolve, reject) => {
          fail = (error) => reject(told(error, step));
          if (failure) fail(failure);
          else start((error) => (error ? fail?.(error) : resolve()));
        });
      return {
        async write(bytes) {
          await wait((done) => stream.write(bytes, done));
          // Few lines may be in the buffer of the socket still.
          if (client.connection.stream.writableLength === 0) releaseMemory(bytes);
        },
        async end() {
          await wait((done) => stream.end(done));
          isCopying = false;
        },
      };
    },
    async close() {
      // A COPY that has not ended takes no other message.
      if (isBroken || isCopying) {
        client.connection.stream.destroy();
        return;
      }
      const timer = setTimeout(() => client.connection.stream.destroy(), closeTimeoutMs);
      await client.end().catch(() => {});
      clearTimeout(timer);
    },
  };
}

type Packages = Awaited<ReturnType<typeof loadPackages>>;

/** Most jobs have no warehouse, so these come only with one. */
async function loadPackages() {
  requirePackages('postgres');
  const [{ Client }, { from }] = await Promise.all([import('pg'), import('pg-copy-streams')]);
  return { Client, copyFrom: from };
}

async function connect({ Client }: Packages, connectionString: string): Promise<Client> {
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
