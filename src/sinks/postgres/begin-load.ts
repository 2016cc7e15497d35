import type { ManifestFacts } from '../manifest.ts';
import type { Warehouse } from './connection/open-warehouse.ts';
import { type FoundTables, readTables, refuseUnfit } from './fit-tables.ts';
import { type LoadedRun, readLoadedRun } from './loaded-run.ts';
import type { LoadOptions } from './prepare-load.ts';

/** What a load finds in the warehouse. */
export interface BegunLoad {
  readonly found: FoundTables;
  /** Undefined where no run of the job was loaded. */
  readonly loaded: LoadedRun | undefined;
}

/** Long enough for another load of the job to end, short enough to be told of one that hangs. */
const defaultLockTimeoutMs = 60_000;

/** Begins the transaction of a load, the only one of its job until it ends. */
export async function beginLoad(
  warehouse: Warehouse,
  { address, facts, lockTimeoutMs = defaultLockTimeoutMs }: LoadOptions,
  headers: readonly string[],
): Promise<BegunLoad> {
  const { schema } = warehouse.place;
  const job = facts.job.name;
  await warehouse.query('begin', beginText(address, lockTimeoutMs));
  // Two loads of one job would each take the other's records for removed or new.
  await warehouse.query('lock', 'select pg_advisory_xact_lock(hashtext($1), hashtext($2))', [
    `dossier ${schema}`,
    job,
  ]);
  const found = await readTables(warehouse);
  refuseUnfit(found, headers, schema);
  const isThere = found.tables.get('runs')?.columns.has('loaded_at');
  return { found, loaded: isThere ? await readLoadedRun(warehouse, job) : undefined };
}

/** Settings hold for the transaction, so that a pool of connections does not carry them on. */
function beginText({ searchParams }: URL, lockTimeoutMs: number): string {
  const isTimed = searchParams.has('statement_timeout') || searchParams.has('options');
  return [
    'begin isolation level read committed',
    `set local lock_timeout = ${lockTimeoutMs}`,
    // Outputs elsewhere may be prepared before the COMMIT, but nobody waits for a machine that is gone.
    "set local idle_in_transaction_session_timeout = '1h'",
    // A limit for the queries of people would end a large COPY.
    ...(isTimed ? [] : ['set local statement_timeout = 0']),
    // Before PostgreSQL has counted a table it takes it for small, and would look through it for each record.
    'set local enable_nestloop = off',
    'set local standard_conforming_strings = on',
    'set local client_min_messages = warning',
  ].join(';\n');
}

export function isOlder({ startedAt }: ManifestFacts['run'], loaded: LoadedRun): boolean {
  return Date.parse(startedAt) < loaded.startedAt.getTime();
}
