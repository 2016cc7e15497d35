import { isReject } from '../../identify/identifier.ts';
import { identifyCell } from '../../identify/identify-cell.ts';
import { countHeaderCells } from './detect-header.ts';

type Cells = readonly (string | undefined)[];

/** Titles are short. In more rows than these no column names are searched for. */
export const mostTitleRows = 20;

/**
 * Counts the rows above the column names that are a title: each holds one filled cell at most, and no
 * identifier. `Leads of March` above `Name,Website` is one, `website` above `acme.com` is none.
 */
export function countTitleRows(rows: readonly Cells[]): number {
  const headerAt = rows.findIndex((row, index) => isHeaderOrData(row, rows[index + 1]));
  const header = rows[headerAt];
  if (headerAt <= 0 || headerAt > mostTitleRows || !header) return 0;
  const titles = rows.slice(0, headerAt);
  if (titles.some((row) => row.some(isIdentifier))) return 0;
  // A table without a name for its first columns has one filled cell in its header, too, but further right.
  const start = header.findIndex(isFilled);
  const isInFront = titles.every((row) => row.findIndex(isFilled) <= start);
  return isInFront || namesColumns(header) ? headerAt : 0;
}

function isHeaderOrData(row: Cells, next: Cells | undefined): boolean {
  const filled = row.filter(isFilled).length;
  if (filled !== 1) return filled > 1;
  const isName = countHeaderCells(row).names === 1;
  return isName && !(next && next.filter(isFilled).length > 1 && namesColumns(next));
}

function namesColumns(row: Cells): boolean {
  const { names, data } = countHeaderCells(row);
  return names > data;
}

function isFilled(cell: string | undefined): boolean {
  return (cell ?? '').trim() !== '';
}

function isIdentifier(cell: string | undefined): boolean {
  return isFilled(cell) && !isReject(identifyCell(cell ?? '', 'auto'));
}
