import { DuckDBInstance } from '@duckdb/node-api';

/** Reads a Parquet file with DuckDB, a reader that shares no code with the writer. */
export async function queryParquet(
  path: string,
  select = '*',
): Promise<{ names: string[]; types: string[]; rows: unknown[][] }> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    await connection.run("set timezone = 'UTC'");
    const file = `'${path.replaceAll("'", "''")}'`;
    const reader = await connection.runAndReadAll(`select ${select} from read_parquet(${file})`);
    return {
      names: reader.columnNames(),
      types: reader.columnTypes().map(String),
      rows: reader.getRowsJS(),
    };
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
