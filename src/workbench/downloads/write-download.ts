import { openAtomicFile } from '../../runtime/files/atomic-file.ts';
import { formats } from '../../sinks/files/formats.ts';
import type { DownloadQuery } from '../api/downloads.ts';
import type { RecordsPage } from '../rows/read-records.ts';

/** Rows that are in memory at once. */
const rowsAtOnce = 500;

export type ReadRecords = (numbers: number[]) => Promise<RecordsPage>;

/** Writes a table to a file, page by page, so that memory stays flat however many rows there are. */
export async function writeDownload(
  path: string,
  numbers: Int32Array,
  read: ReadRecords,
  { format, delimiter = ',', isForSpreadsheet = false }: DownloadQuery,
): Promise<{ readonly rows: number; readonly bytes: number }> {
  const options = {
    ...({ compress: 'none', delimiter } as const),
    ...{ excelSafe: isForSpreadsheet, bom: isForSpreadsheet },
  };
  const { columns } = await read([]);
  const tables = [{ table: 'companies', columns }] as const;
  const file = await openAtomicFile(path);
  const writer = await formats[format].openWriter(file, tables, options);
  try {
    const encode = formats[format].encoder(tables, options);
    let rows = 0;
    for (let at = 0; at < numbers.length; at += rowsAtOnce) {
      const { records } = await read([...numbers.subarray(at, at + rowsAtOnce)]);
      await writer.write(encode([records]));
      rows += records.length;
    }
    const { bytes } = await writer.close();
    await file.publish();
    return { rows, bytes };
  } finally {
    await writer.discard?.();
    await file.discard();
  }
}
