import { DuckDBInstance } from '@duckdb/node-api';

/** Reads a Parquet file with DuckDB, a reader that shares no code with the writer. */
export async function queryParquet(
  path: string,
  select = '*',
): Promise<{ names: string[]; types: string[]; rows: unknown[][] }> {
  return await query(`select ${select} from read_parquet(${quoted(path)})`);
}

/** What its footer says of each column chunk, column by column. */
export async function queryParquetMetadata(path: string, select: string): Promise<unknown[][]> {
  const chunks = `parquet_metadata(${quoted(path)})`;
  return (await query(`select ${select} from ${chunks} order by column_id, row_group_id`)).rows;
}

/** The keys and values of its footer. */
export async function queryParquetFooter(path: string) {
  const pairs = await query(
    `select decode(key), decode(value) from parquet_kv_metadata(${quoted(path)})`,
  );
  return Object.fromEntries(pairs.rows);
}

async function query(sql: string) {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    await connection.run("set timezone = 'UTC'");
    const reader = await connection.runAndReadAll(sql);
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

function quoted(path: string): string {
  return `'${path.replaceAll("'", "''")}'`;
}
