import { openWarehouse } from './open-warehouse.ts';
import { quoteTable, readTables } from './warehouse-tables.ts';

/** What is removed from the changes of a job. */
export interface ForgottenRecords {
  readonly job: string;
  readonly rowKeys: readonly string[];
  /** Finds the values in any column. */
  readonly pattern: RegExp;
}

/** Removes changes of all runs that hold a value, and manifests that name one. Loads replace the other tables. */
export async function forgetChanges(
  address: URL,
  schema: string,
  { job, rowKeys, pattern }: ForgottenRecords,
): Promise<void> {
  const warehouse = await openWarehouse(address, schema);
  try {
    const found = await readTables(warehouse);
    if (!found?.has('changes') || !found.has('runs')) return;
    await warehouse.query(
      'merge',
      `delete from ${quoteTable('changes', schema)} t
        where job = $1 and (row_key = any($2) or t::text ~* $3)`,
      [job, rowKeys, pattern.source],
    );
    await warehouse.query(
      'merge',
      `update ${quoteTable('runs', schema)} t set manifest = null where job = $1 and t::text ~* $2`,
      [job, pattern.source],
    );
  } finally {
    await warehouse.close();
  }
}
