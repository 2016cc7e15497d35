import { Manifest } from '../manifest.ts';
import type { Warehouse } from './connection/open-warehouse.ts';
import { quoteTable } from './quote-identifier.ts';

/** The run whose result the tables hold. */
export interface LoadedRun {
  readonly id: string;
  readonly startedAt: Date;
  /** Undefined where it is of a version that this one cannot read. */
  readonly manifest: Manifest | undefined;
}

export async function readLoadedRun(
  warehouse: Warehouse,
  job: string,
): Promise<LoadedRun | undefined> {
  const { rows } = await warehouse.query<{ id: string; startedAt: Date; manifest: unknown }>(
    'read tables',
    `select run_id as id, run_started_at as "startedAt", manifest
      from ${runs(warehouse)} where job = $1 order by loaded_at desc nulls last limit 1`,
    [job],
  );
  const [row] = rows;
  return row && { ...row, manifest: Manifest.safeParse(row.manifest).data };
}

/** Makes a run the latest of its job; nothing is written where it is that already. */
export async function stampRun(
  warehouse: Warehouse,
  { job, id, startedAt }: { readonly job: string; readonly id: string; readonly startedAt: string },
): Promise<void> {
  await warehouse.query(
    'merge',
    `update ${runs(warehouse)} t set loaded_at = clock_timestamp()
      where t.job = $1 and t.run_id = $2 and t.run_started_at = $3
      and (t.loaded_at is null or exists (
        select from ${runs(warehouse)} o where o.job = t.job and o.loaded_at > t.loaded_at))`,
    [job, id, startedAt],
  );
}

/** Whether there are records of a job at all: tables that were emptied by hand are filled again. */
export async function hasCompanies(warehouse: Warehouse, job: string): Promise<boolean> {
  const companies = quoteTable('companies', warehouse.place.schema);
  const text = `select 1 from ${companies} where job = $1 limit 1`;
  return (await warehouse.query('read tables', text, [job])).rowCount > 0;
}

function runs({ place }: Warehouse): string {
  return quoteTable('runs', place.schema);
}
