import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { temporaryFolder } from './temporary-folder.ts';

/** A Parquet file, or the CSV of the same rows, that DuckDB writes: a writer that shares no code with ours. */
export async function writeDuckdb(select: string, options: string): Promise<Buffer> {
  using folder = temporaryFolder();
  const path = join(folder.path, 'list');
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    await connection.run("set timezone = 'UTC'");
    await connection.run(`copy (${select}) to '${path}' (${options})`);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
  return readFileSync(path);
}
