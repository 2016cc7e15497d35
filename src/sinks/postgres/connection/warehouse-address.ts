import { DossierError } from '../../../errors.ts';

/** What may be said of a warehouse: its address has a user and a password, and is a secret. */
export interface WarehousePlace {
  readonly host: string;
  readonly port: string;
  readonly database: string;
  readonly schema: string;
}

export function placeOf(address: URL, schema: string): WarehousePlace {
  const { searchParams, hostname, port, pathname } = address;
  const { PGHOST, PGPORT, PGDATABASE } = process.env;
  return {
    host: (searchParams.get('host') ?? decoded(hostname)) || PGHOST || 'localhost',
    port: (searchParams.get('port') ?? port) || PGPORT || '5432',
    database: decoded(pathname.slice(1)) || PGDATABASE || 'the database of its user',
    schema,
  };
}

/** What is told need not be what the client makes of a percent sign alone. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** `db.example:5432/warehouse` */
export function shownServer({ host, port, database }: WarehousePlace): string {
  return `${host}:${port}/${database}`;
}

/** `postgres://db.example:5432/warehouse, schema enrichment` */
export function shownPlace(place: WarehousePlace): string {
  return `postgres://${shownServer(place)}, schema ${place.schema}`;
}

const sslModes = [
  ...['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'],
];

/** An address as node-postgres takes it, and the one to try where the server has no TLS. */
export interface ClientAddresses {
  readonly first: string;
  readonly withoutTls: string | undefined;
}

/**
 * TLS is as psql has it for the same address: where it names no `sslmode`, TLS is used if the server has it.
 * node-postgres by itself takes `require` for `verify-full`, and nothing for `disable`.
 */
export function clientAddresses(address: URL, { host }: WarehousePlace): ClientAddresses {
  const { searchParams } = address;
  const isLocal = host.startsWith('/');
  const named = searchParams.get('sslmode') ?? modeOfSsl(searchParams.get('ssl'));
  const mode = isLocal ? 'disable' : (named ?? process.env.PGSSLMODE ?? 'prefer');
  if (!sslModes.includes(mode)) {
    throw new DossierError(
      'WAREHOUSE_UNFIT',
      `sslmode in the address of the warehouse is none of ${sslModes.join(', ')}`,
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

/** `ssl` is how JDBC and node-postgres say it. */
function modeOfSsl(ssl: string | null): string | undefined {
  if (ssl === null) return undefined;
  const modes: Readonly<Record<string, string>> = { true: 'require', false: 'disable' };
  return modes[ssl] ?? ssl;
}

function withMode(address: URL, mode: string): string {
  const changed = new URL(address);
  changed.searchParams.delete('ssl');
  changed.searchParams.set('sslmode', mode);
  // `no-verify` is of node-postgres itself, which knows it only in its own terms.
  if (mode !== 'no-verify') changed.searchParams.set('uselibpqcompat', 'true');
  return changed.href;
}
