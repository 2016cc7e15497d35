import { relative } from 'node:path';
import type { Correction } from '../../job/mended/correction.ts';
import type { Mending } from '../../run/mend/mend-list.ts';
import { printable } from '../../runtime/printable.ts';
import { counted } from '../terminal/counted.ts';

/** So many cells or keys show what kind they are. */
const shown = 5;

/** What was kept, and where. */
export function keptText({ corrections, again }: Mending, path: string): string {
  const where = printable(relative(process.cwd(), path));
  const known = again > 0 ? `; ${counted(again, 'cell was', 'cells were')} mended so before` : '';
  if (corrections.length === 0) return `No new correction${known}.`;
  return `${counted(corrections.length, 'correction', 'corrections')} kept in ${where}${known}.`;
}

/** What of a mended file was not taken, and why. */
export function mendingNotes(mending: Mending): string[] {
  const { notes, refused, unknown, matched, ignored, columns, run } = mending;
  const refusals = refused
    .slice(0, shown)
    .map(
      ({ row_key, column, value, message }) =>
        `Not taken: row ${row_key}, ${column}: ${JSON.stringify(value)}. ${message}`,
    );
  return [
    ...notes,
    ...refusals,
    ...(refused.length > shown ? [`Not taken: ${refused.length - shown} cells more.`] : []),
    ...unknownNotes(unknown, run),
    ...(matched > 0
      ? [`${counted(matched, 'row has', 'rows have')} a company already and stay as they are.`]
      : []),
    ...ignoredNotes(ignored, columns),
  ].map((note) => printable(note));
}

function unknownNotes(unknown: readonly string[], run: string): string[] {
  if (unknown.length === 0) return [];
  const keys = unknown.slice(0, shown).map((key) => JSON.stringify(key));
  const which = `${keys.join(', ')}${unknown.length > shown ? ' …' : ''}`;
  return [
    `${counted(unknown.length, 'row of the file is', 'rows of the file are')} left out, as ${run} has no row with ${unknown.length === 1 ? 'this row_key' : 'these row_keys'}: ${which}. A spreadsheet may have changed the keys: its column has to be text.`,
  ];
}

function ignoredNotes(ignored: ReadonlyMap<string, number>, columns: readonly string[]): string[] {
  if (ignored.size === 0) return [];
  const cells = [...ignored].map(([column, count]) => `${JSON.stringify(column)} (${count})`);
  const asked = columns.map((column) => JSON.stringify(column)).join(', ');
  return [
    `Changed cells of ${cells.join(', ')} are ignored: only ${asked} ${columns.length === 1 ? 'says' : 'say'} what a row asks for.`,
  ];
}

/** A correction in a line: `73ca9e02022778dd  website  "smec,com" → "smec.com"`. */
export function correctionLines(corrections: readonly Correction[]): string[] {
  const keyWidth = Math.max(0, ...corrections.map(({ row_key }) => row_key.length));
  const columnWidth = Math.max(0, ...corrections.map(({ column }) => column.length));
  return corrections.map(({ row_key, column, was, now }) =>
    printable(
      `${row_key.padEnd(keyWidth)}  ${column.padEnd(columnWidth)}  ${JSON.stringify(was)} → ${JSON.stringify(now)}`,
    ),
  );
}
