import { setTimeout as delay } from 'node:timers/promises';
import { DossierError } from '../../../errors.ts';
import type { LoadOptions } from '../prepare-load.ts';
import { openWarehouse, type Warehouse } from './open-warehouse.ts';
import { shownServer } from './warehouse-address.ts';
import { isCutOff } from './warehouse-trouble.ts';

/** How often, and after how long, a server that has gone during the COMMIT is asked what came of it. */
const asks = 5;
const defaultPauseMs = 1_000;

/**
 * Commits. Where the connection ends before the answer, PostgreSQL may have committed or not: it knows what
 * came of a transaction, and is asked through another connection. If that cannot be had, it is said so.
 */
export async function commitLoad(
  warehouse: Warehouse,
  { address, askAgainMs = defaultPauseMs }: Pick<LoadOptions, 'address' | 'askAgainMs'>,
): Promise<void> {
  const { rows } = await warehouse.query<{ id: string }>(
    'merge',
    'select txid_current()::text as id',
  );
  try {
    const { command } = await warehouse.query('commit', 'commit');
    // An aborted transaction answers so, without an error.
    if (command === 'COMMIT') return;
    throw notCommitted(warehouse);
  } catch (error) {
    if (!isCutOff(error)) throw error;
    const askOnce = () => askState(address, warehouse.place.schema, rows[0]?.id ?? '');
    const state = await askRepeatedly(askOnce, askAgainMs);
    if (state === 'committed') return;
    if (state === 'aborted') throw error;
    throw new DossierError(
      'WAREHOUSE_UNSURE',
      `PostgreSQL at ${shownServer(warehouse.place)} ended the connection while it committed: the result may be loaded, or not at all`,
      { cause: error },
    );
  }
}

type State = 'committed' | 'aborted';

/** A transaction may be in progress still, and a server that has crashed takes a while to be back. */
async function askRepeatedly(
  askOnce: () => Promise<State | undefined>,
  pauseMs: number,
): Promise<State | undefined> {
  for (let ask = 0; ask < asks; ask += 1) {
    if (ask > 0) await delay(pauseMs);
    const state = await askOnce();
    if (state) return state;
  }
  return undefined;
}

/** What became of a transaction; undefined where nobody says yet. */
async function askState(address: URL, schema: string, id: string): Promise<State | undefined> {
  let warehouse: Warehouse | undefined;
  try {
    warehouse = await openWarehouse(address, schema);
    const { rows } = await warehouse.query<{ state: string }>(
      'read tables',
      'select txid_status($1::bigint) as state',
      [id],
    );
    const state = rows[0]?.state;
    return state === 'committed' || state === 'aborted' ? state : undefined;
  } catch {
    return undefined;
  } finally {
    await warehouse?.close();
  }
}

function notCommitted({ place }: Warehouse): DossierError {
  return new DossierError(
    'WAREHOUSE_TROUBLE',
    `PostgreSQL at ${shownServer(place)} has taken the load back when it was to be committed`,
  );
}
