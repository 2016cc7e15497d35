import { relative } from 'node:path';
import type { WrittenPlace } from '../../run/places/write-places.ts';
import { printable } from '../../runtime/printable.ts';
import { counted } from '../terminal/counted.ts';
import { fileText } from '../terminal/file-text.ts';

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
