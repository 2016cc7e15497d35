import { searchFor } from '../../../core/rules/value-search.ts';
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
      const { sources, holds } = searchFor(keys.slice(at, at + valuesAtOnce));
      for (const [table, change] of [
        [changes, `delete from ${changes} t`],
        [runs, `update ${runs} t set manifest = null`],
      ]) {
        const values = [job, sources.words, sources.digits];
        const where = `where job = $1 and (t::text ~* $2
          or regexp_replace(t::text, '[ .\u00a0-]', '', 'g') ~ $3)`;
        const found = await warehouse.query<{ id: string; line: string }>(
          'merge',
          `select t.ctid::text as id, t::text as line from ${table} t ${where}`,
          values,
        );
        const gone = found.rows.filter(({ line }) => holds(line)).map(({ id }) => id);
        const byId = `${change} ${where} and t.ctid = any($4::tid[])`;
        await warehouse.query('merge', byId, [...values, gone]);
      }
    }
  } finally {
    await warehouse.close();
  }
}
