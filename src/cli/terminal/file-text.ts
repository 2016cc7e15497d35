import type { ManifestFile } from '../../sinks/manifest.ts';
import { counted } from './counted.ts';

/** What is in a written file: `204 records`, or `Companies 204, Rejects 76` of a workbook. */
export function fileText(
  { name, rows, sheets, cutCells = 0 }: ManifestFile,
  unchanged: readonly string[],
): string {
  const records = sheets
    ? sheets.map((sheet) => `${sheet.name} ${sheet.rows.toLocaleString('en')}`).join(', ')
    : counted(rows, 'record', 'records');
  const cells = counted(cutCells, 'cell is', 'cells are');
  const cut = cutCells > 0 ? `; ${cells} cut off at 32,767 characters (CSV holds all)` : '';
  return `${records}${unchanged.includes(name) ? ', unchanged' : ''}${cut}`;
}
