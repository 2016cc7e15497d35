import { warehouseTables } from '../tables/warehouse-tables.ts';
import { openWarehouse } from './connection/open-warehouse.ts';
import { placeOf, shownPlace } from './connection/warehouse-address.ts';
import { fitTables } from './fit-tables.ts';
import { quoteIdentifier } from './quote-identifier.ts';

/** Does all that a load does but for the records, and takes it back; throws where a load would fail. */
export async function tryLoad(address: URL, schema: string): Promise<string> {
  const warehouse = await openWarehouse(address, schema);
  try {
    await warehouse.query('begin', "begin; set local lock_timeout = '5s'");
    await warehouse.query('stage', 'create temporary table dossier_check ()');
    await fitTables(warehouse, []);
    const tables = Object.values(warehouseTables).map(
      ({ name }) => `${quoteIdentifier(schema)}.${quoteIdentifier(name)}`,
    );
    const statements = tables.flatMap((table) => [
      `insert into ${table} select * from ${table} where false`,
      `update ${table} set job = job where false`,
      `delete from ${table} where false`,
    ]);
    await warehouse.query('merge', statements.join('; '));
    return shownPlace(placeOf(address, schema));
  } finally {
    // Without a COMMIT nothing of it has happened.
    await warehouse.close();
  }
}
