import { relative } from 'node:path';
import { z } from 'zod';
import type { WrittenPlace } from '../run/write-outputs.ts';
import { withoutSecrets } from '../runtime/log/known-secrets.ts';
import { printable } from '../runtime/printable.ts';
import { ManifestFile } from '../sinks/manifest.ts';
import { counted } from './terminal/text.ts';

/** What has become of a result in one of its places. */
export const PlaceJson = z.strictObject({
  kind: z.enum(['folder', 's3', 'postgres']).describe('What the place is.'),
  address: z
    .string()
    .describe('The folder, or an address without user and password: `s3://…`, `postgres://…`.'),
  files: z.array(ManifestFile).describe('The files there; empty for a database.'),
  unchanged: z.array(z.string()).describe('Those of them that are as they were.'),
  failed: z
    .string()
    .nullable()
    .describe('Why it could not be written (exit code 74); `dossier export` writes it again.'),
  leftOut: z
    .string()
    .nullable()
    .describe('Why nothing was to be written there: a database is not given a held result.'),
});

export function placeJson(place: WrittenPlace): z.output<typeof PlaceJson> {
  const { kind, address, summary, failed, leftOut = null } = place;
  return {
    ...{ kind, address },
    files: [...(summary?.files ?? [])],
    unchanged: [...(summary?.unchanged ?? [])],
    failed: failed ? withoutSecrets(failed.message) : null,
    leftOut,
  };
}

/** The same for a log, which needs no list of files. */
export function placeFacts(place: WrittenPlace) {
  const { kind, address, failed, leftOut } = placeJson(place);
  return { kind, address, ...(failed && { failed }), ...(leftOut && { leftOut }) };
}

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
