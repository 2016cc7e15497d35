import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readXlsx } from 'hucre/xlsx';
import type { Column, ColumnType, FlatRecord } from '../../../src/core/columns/columns.ts';
import { openAtomicFile } from '../../../src/platform/files/atomic-file.ts';
import type { TableToWrite } from '../../../src/results/formats.ts';
import { writeWorkbook } from '../../../src/results/workbook/write-workbook.ts';

export function column(name: string, type: ColumnType = 'text'): Column {
  return { name, type, path: [], description: '' };
}

/** Writes batches of records of each table into `workbook.xlsx` of the folder. */
export async function makeWorkbookFile(
  folder: string,
  tables: readonly TableToWrite[],
  batches: readonly (readonly (readonly FlatRecord[])[])[],
  limits?: Parameters<typeof writeWorkbook>[2],
) {
  const path = join(folder, 'workbook.xlsx');
  await using file = await openAtomicFile(path);
  const writer = writeWorkbook(file, tables, limits);
  for (const batch of batches) {
    for (const [table, records] of batch.entries()) {
      for (const record of records) await writer.write(record, table);
    }
  }
  const facts = await writer.close();
  await file.publish();
  return { path, facts, bytes: readFileSync(path) };
}

/** The sheets by name, as hucre reads them. Dossier writes with code of its own. */
export async function sheetsOf(bytes: Uint8Array): Promise<Record<string, unknown[][]>> {
  const { sheets } = await readXlsx(bytes);
  return Object.fromEntries(sheets.map(({ name, rows }) => [name, rows]));
}
