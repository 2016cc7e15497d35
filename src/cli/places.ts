import { relative } from 'node:path';
import type { WrittenPlace } from '../run/write-outputs.ts';
import { printable } from '../runtime/printable.ts';
import type { ManifestFile } from '../sinks/manifest.ts';
import { counted } from './terminal/text.ts';

/** One line of what was written, and where. */
export interface PlaceLine {
  readonly name: string;
  readonly about: string;
  /** It says that something is missing. */
  readonly isTrouble?: boolean;
}

/** A folder as people would type it here; an address stays as it is. */
export function placeFromHere(place: string): string {
  return printable(place.includes('://') ? place : relative(process.cwd(), place) || '.');
}

/** Every file of a result, by its place; where a place has none, what became of it. */
export function placeLines(places: readonly WrittenPlace[]): PlaceLine[] {
  return places.flatMap(linesOf);
}

function linesOf({ kind, address, summary, failed, leftOut }: WrittenPlace): PlaceLine[] {
  const place = placeFromHere(address);
  if (failed) return [{ name: place, about: 'NOT WRITTEN, see below', isTrouble: true }];
  if (!summary) return [{ name: place, about: `not written. ${leftOut}` }];
  if (kind === 'postgres') {
    const rows = counted(summary.counts.rows, 'row', 'rows');
    return [{ name: place, about: `${rows}${summary.isSame ? ', unchanged' : ' loaded'}` }];
  }
  return summary.files.map((file) => ({
    name: `${place}/${file.name}`,
    about: fileText(file, summary.unchanged),
  }));
}

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
