import { type TableName, tables } from '../core/columns/tables.ts';
import type { Format, ManifestFile } from './manifest.ts';

export const manifestName = 'manifest.json';
export const reportName = 'report.html';

export interface ListedFile extends Pick<ManifestFile, 'name' | 'table' | 'format'> {
  /** More than one in a workbook. */
  readonly tables: readonly TableName[];
}

export function listFiles(hasPeople: boolean, given: readonly Format[]): ListedFile[] {
  const all = (Object.keys(tables) as TableName[]).filter(
    (table) => table !== 'people' || hasPeople,
  );
  const formats = [...new Set(given)];
  const nameFile = (table: ManifestFile['table'], inFile: readonly TableName[], format: Format) => {
    return { name: `${table}.${format}`, table, tables: inFile, format };
  };
  // With changes in it, the workbook would differ after every run.
  const inWorkbook = all.filter((table) => table !== 'changes');
  return [
    ...(formats.includes('xlsx') ? [nameFile('workbook', inWorkbook, 'xlsx')] : []),
    ...all.flatMap((table) =>
      formats
        .filter((format) => format !== 'xlsx' || table === 'changes')
        .map((format) => nameFile(table, [table], format)),
    ),
  ];
}

/** Every file that a result may replace or remove. */
export function namesInFolder(formats: readonly Format[]): string[] {
  return [...listFiles(true, formats).map(({ name }) => name), reportName, manifestName];
}
