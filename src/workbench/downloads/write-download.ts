import type { FlatRecord } from '../../records/columns.ts';
import { peopleColumns } from '../../records/table-columns.ts';
import { openAtomicFile } from '../../runtime/files/atomic-file.ts';
import { formats } from '../../sinks/formats.ts';
import type { Download, DownloadQuery } from '../api/downloads.ts';
import type { RecordsPage, RowsTable } from '../rows/read-records.ts';
import type { CompanyPeople } from './read-people.ts';

/** Rows that are in memory at once. */
const rowsAtOnce = 500;

/** What a file is written from. */
export interface FoundRecords {
  readonly numbers: Int32Array;
  read(numbers: readonly number[], tables: readonly RowsTable[]): Promise<RecordsPage>;
  /** The people of all companies of the run; undefined where none were searched. */
  readonly people: (() => AsyncIterable<CompanyPeople>) | undefined;
}

/**
 * Writes rows to a file, page by page, so that memory stays flat however many there are. A workbook has the
 * sheets of an export: companies, their people, and rejects.
 */
export async function writeDownload(
  path: string,
  found: FoundRecords,
  { format, delimiter = ',', isForSpreadsheet = false }: DownloadQuery,
): Promise<Pick<Download, 'rows' | 'bytes' | 'sheets'>> {
  const options = {
    ...({ compress: 'none', delimiter } as const),
    ...{ excelSafe: isForSpreadsheet, bom: isForSpreadsheet },
  };
  const { numbers, people } = found;
  const ofRows: readonly RowsTable[] = format === 'xlsx' ? ['companies', 'rejects'] : ['companies'];
  const { columns } = await found.read([], ofRows);
  const [companies = [], rejects = []] = columns;
  const hasPeople = format === 'xlsx' && people !== undefined;
  const tables = [
    { table: 'companies', columns: companies } as const,
    ...(hasPeople ? [{ table: 'people', columns: peopleColumns } as const] : []),
    ...(format === 'xlsx' ? [{ table: 'rejects', columns: rejects } as const] : []),
  ];
  const file = await openAtomicFile(path);
  const writer = await formats[format].openWriter(file, tables, options);
  const writeAll = async (records: readonly FlatRecord[], table: number) => {
    for (const record of records) await writer.write(record, table);
  };
  try {
    let rows = 0;
    for (let at = 0; at < numbers.length; at += rowsAtOnce) {
      const { records } = await found.read([...numbers.subarray(at, at + rowsAtOnce)], ofRows);
      const [ofPage = [], rejected = []] = records;
      await writeAll(ofPage, 0);
      await writeAll(rejected, tables.length - 1);
      rows += ofPage.length;
    }
    if (hasPeople) {
      const isWritten = new Uint8Array(1 + numbers.reduce((one, other) => Math.max(one, other), 0));
      for (const number of numbers) isWritten[number] = 1;
      for await (const company of people()) {
        if (!company.rows.some((number) => isWritten[number] === 1)) continue;
        await writeAll(company.people, 1);
      }
    }
    const { bytes, sheets } = await writer.close();
    await file.publish();
    return { rows, bytes, ...(sheets && { sheets }) };
  } finally {
    await writer.discard?.();
    await file.discard();
  }
}
