import { valuePattern } from '../../../core/rules/value-pattern.ts';
import type { Intent } from '../../../engine/ledger/care/forget-ledger.ts';
import { openWarehouse } from './open-warehouse.ts';
import { quoteTable, readTables } from './warehouse-tables.ts';

/** PostgreSQL needs minutes for one pattern of thousands of values. */
const valuesAtOnce = 200;

/** Other tables need no deletion, because the next load replaces their records. */
export async function forgetChanges(
  address: URL,
  schema: string,
  job: string,
  { keys, rowKeys }: Intent,
): Promise<void> {
  const warehouse = await openWarehouse(address, schema);
  try {
    const found = await readTables(warehouse);
    if (!found?.has('changes') || !found.has('runs')) return;
    const [changes, runs] = [quoteTable('changes', schema), quoteTable('runs', schema)];
    const byKey = `delete from ${changes} where job = $1 and row_key = any($2)`;
    await warehouse.query('merge', byKey, [job, rowKeys]);
    for (let at = 0; at < keys.length; at += valuesAtOnce) {
      const { source } = valuePattern(keys.slice(at, at + valuesAtOnce));
      for (const change of [`delete from ${changes} t`, `update ${runs} t set manifest = null`]) {
        await warehouse.query('merge', `${change} where job = $1 and t::text ~* $2`, [job, source]);
      }
    }
  } finally {
    await warehouse.close();
  }
}
