import type { Cell, ColumnType } from '../../records/columns/columns.ts';

/** The styles of cells, by their place in `styles.xml`. */
export const cellStyles = { plain: 0, text: 1, timestamp: 2, header: 3 } as const;

/** Excel takes no longer text in a cell, counted in UTF-16. */
export const maxCellLength = 32_767;
const cutMark = ' … (cut off)';

/** Excel keeps fifteen digits of a number, and shows zeros in the place of the others. */
const leastTooLong = 1e15;

/**
 * What stands in the XML of a cell behind its place: `t="b"><v>1</v></c>`; empty where the cell is.
 * `onCut` is called for a text that is longer than a cell may be.
 */
export function cellXml(type: ColumnType, cell: Cell, onCut: () => void): string {
  if (cell === null || cell === '') return '';
  if (typeof cell === 'boolean') return `t="b"><v>${cell ? 1 : 0}</v></c>`;
  if (typeof cell === 'number') return numberXml(cell);
  if (typeof cell === 'object') return cell.length === 0 ? '' : textXml(cell.join('; '), onCut);
  return (type === 'timestamp' && timeXml(cell)) || textXml(cell, onCut);
}

/** A cell of text, which stays text also when somebody edits it. */
export function textXml(text: string, onCut: () => void, style: number = cellStyles.text): string {
  const whole = text.toWellFormed();
  const kept = whole.length > maxCellLength ? cutText(whole) : whole;
  if (kept !== whole) onCut();
  const space = isSpaced.test(kept) ? ' xml:space="preserve"' : '';
  return `s="${style}" t="inlineStr"><is><t${space}>${escapeXml(kept)}</t></is></c>`;
}

/** `&` and `<` as XML has them; what XML cannot hold as Excel does: `_x0007_`. */
export function escapeXml(text: string): string {
  return needsEscape.test(text) ? text.replace(escaped, escapeOf) : text;
}

const isSpaced = /^\s|\s$|[\n\t]/;

/**
 * XML has no control characters, and reads CR as LF. An underscore is escaped where a reader would take
 * what follows for an escape.
 */
const unwritable = String.raw`(?![\t\n])\p{Cc}|[\ufffe\uffff]`;
const looksEscaped = String.raw`_(?=x[\dA-Fa-f]{4}(?:_|${unwritable}))`;
const needsEscape = new RegExp(`[&<>]|${looksEscaped}|${unwritable}`, 'u');
const escaped = new RegExp(needsEscape, 'gu');

function escapeOf(character: string): string {
  switch (character) {
    case '&':
      return '&amp;';
    case '<':
      return '&lt;';
    case '>':
      return '&gt;';
    default:
      return `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`;
  }
}

function cutText(text: string): string {
  const kept = text.slice(0, maxCellLength - cutMark.length);
  // Half a surrogate pair is no character.
  return (kept.isWellFormed() ? kept : kept.slice(0, -1)) + cutMark;
}

function numberXml(number: number): string {
  const isTooLong = Number.isInteger(number) && Math.abs(number) >= leastTooLong;
  if (isTooLong || !Number.isFinite(number)) return textXml(String(number), () => {});
  return `><v>${number}</v></c>`;
}

const millisecondsInDay = 86_400_000;
/** The number of 1970-01-01 where days are counted as spreadsheets do. */
const firstDayOfUnix = 25_569;
/** Excel has a 29th of February 1900, so that earlier days have other numbers elsewhere. */
const earliest = Date.UTC(1900, 2, 1);
const latest = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** A time as a number of days; empty for one that spreadsheets do not know. */
function timeXml(time: string): string {
  const milliseconds = Date.parse(time);
  if (!(milliseconds >= earliest && milliseconds <= latest)) return '';
  const days = milliseconds / millisecondsInDay + firstDayOfUnix;
  return `s="${cellStyles.timestamp}"><v>${days}</v></c>`;
}
