import type { CellValue } from '../api/rows.ts';
import type { WholeRow } from '../api/whole-row.ts';

/** Letters of a cell that the table gets. A row of it shows a line, and a list may have cells of 10 MB. */
const mostInTable = 2_000;
/** In the view of one row, where a cell can be fixed as long as it is whole. */
export const mostInRow = 100_000;

/** A cell for the table: of a long one its beginning, and how long it is. */
export function cutForTable(value: CellValue): CellValue {
  return cutCell(value, mostInTable, 'open the row for more');
}

/** Whether {@link cutForTable} leaves something out. */
export function isCutForTable(value: CellValue): boolean {
  return typeof value === 'string' && value.length > mostInTable;
}

/** A whole row for its own view. What it leaves out of a very long cell, a file has. */
export function cutForRow(row: WholeRow): WholeRow {
  const { list, company } = row;
  const cut = (value: CellValue) => cutCell(value, mostInRow, 'a download has them all');
  return {
    ...row,
    list: list.map(({ header, cell }) => ({
      header,
      cell: cell === null ? null : cutText(cell, mostInRow, 'a download has them all'),
      isCut: (cell ?? '').length > mostInRow,
    })),
    company: company && {
      ...company,
      groups: company.groups.map(({ name, fields }) => ({
        name,
        fields: fields.map(({ column, value }) => ({ column, value: cut(value) })),
      })),
    },
  };
}

function cutCell(value: CellValue, most: number, where: string): CellValue {
  if (typeof value === 'string') return cutText(value, most, where);
  return Array.isArray(value) ? cutList(value, most, where) : value;
}

/** `xxxxx… (1,000,000 characters; open the row for more)` */
function cutText(text: string, most: number, where: string): string {
  if (text.length <= most) return text;
  // Half of a sign that takes two places would be shown as another.
  const beginning = text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '');
  return `${beginning}… (${text.length.toLocaleString('en')} characters; ${where})`;
}

function cutList(
  values: readonly (string | number)[],
  most: number,
  where: string,
): readonly string[] | readonly number[] {
  let letters = 0;
  const end = values.findIndex((value) => {
    letters += String(value).length + 2;
    return letters > most;
  });
  if (end === -1) return values as readonly string[] | readonly number[];
  const left = (values.length - end).toLocaleString('en');
  return [...values.slice(0, end).map(String), `… (${left} more; ${where})`];
}
