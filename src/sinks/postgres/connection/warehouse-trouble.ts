import { DossierError } from '../../../errors.ts';
import { outsideFailure } from '../../../runtime/outside-failures.ts';
import { quoteIdentifier } from '../quote-identifier.ts';
import { shownServer, type WarehousePlace } from './warehouse-address.ts';

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

/** Whether nobody can know what came of a statement: the connection ended before its answer. */
export function isCutOff(error: unknown): boolean {
  return error instanceof DossierError && error.code === 'WAREHOUSE_DOWN';
}
