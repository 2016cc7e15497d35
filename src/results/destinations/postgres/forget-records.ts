import { withoutService } from '../../../core/rules/suppression.ts';
import { searchFor } from '../../../core/rules/value-search.ts';
import type { Intent } from '../../../engine/ledger/care/forget-ledger.ts';
import { allTables } from '../../tables.ts';
import { storableText } from './encode-copy.ts';
import { openWarehouse } from './open-warehouse.ts';
import { readReceivedRuns } from './prepare-load.ts';
import { quoteTable, readTables } from './warehouse-tables.ts';

/** PostgreSQL needs minutes for one pattern of thousands of values. */
const valuesAtOnce = 200;

/** By the kind of their keys. Texts are not searched for short ids. */
const idColumns = { row: 'row_key', id: 'company_id', person: 'person_id' };

export async function readLoadedRun(address: URL, schema: string, job: string) {
  await using warehouse = await openWarehouse(address, schema);
  const [loaded] = await readReceivedRuns(warehouse, job, await readTables(warehouse));
  return loaded;
}

export async function forgetRecords(
  address: URL,
  schema: string,
  job: string,
  { keys, rowKeys }: Intent,
  isRewritten: boolean,
): Promise<void> {
  await using warehouse = await openWarehouse(address, schema);
  const found = await readTables(warehouse);
  // Tables of one service do not name it.
  const bare = keys.map(withoutService);
  const named = [...bare, ...rowKeys.map((key) => `row ${key}`)].map(storableText);
  for (const name of isRewritten ? (['changes', 'runs'] as const) : allTables) {
    const table = quoteTable(name, schema);
    const columns = found?.get(name);
    if (!columns) continue;
    for (const [kind, column] of Object.entries(idColumns)) {
      if (!columns.has(column)) continue;
      const byKey = `delete from ${table} where job = $1 and $2 || ${column} = any($3)`;
      await warehouse.query('merge', byKey, [job, `${kind} `, named]);
    }
    const change =
      name === 'runs' ? `update ${table} t set manifest = null` : `delete from ${table} t`;
    for (let at = 0; at < keys.length; at += valuesAtOnce) {
      const { sources, holds } = searchFor(keys.slice(at, at + valuesAtOnce));
      const values = [job, sources.words, sources.digits];
      const where = `where job = $1 and (t::text ~* $2
        or regexp_replace(t::text, '[ .\u00a0-]', '', 'g') ~ $3)`;
      const { rows } = await warehouse.query<{ id: string; line: string }>(
        'merge',
        `select t.ctid::text as id, t::text as line from ${table} t ${where}`,
        values,
      );
      const gone = rows.filter(({ line }) => holds(line)).map(({ id }) => id);
      const byId = `${change} ${where} and t.ctid = any($4::tid[])`;
      await warehouse.query('merge', byId, [...values, gone]);
    }
  }
}
