import type { ShownRow } from '../../data/rows-data.ts';

export interface RowFilter {
  readonly text: string;
  /** Outcomes to show; an empty set shows every outcome. */
  readonly statuses: ReadonlySet<ShownRow['status']>;
  /** Reason to show; '' shows every reason. */
  readonly reason: string;
}

export const noFilter: RowFilter = { text: '', statuses: new Set(), reason: '' };

/** Rows of the chosen outcomes and reason whose fields hold every typed word, in any case. */
export function filterRows(rows: readonly ShownRow[], filter: RowFilter): readonly ShownRow[] {
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  const { statuses, reason } = filter;
  if (words.length === 0 && statuses.size === 0 && reason === '') return rows;
  return rows.filter((row) => {
    if (statuses.size > 0 && !statuses.has(row.status)) return false;
    if (reason !== '' && row.reason !== reason) return false;
    const text = searchText(row);
    return words.every((word) => text.includes(word));
  });
}

const texts = new WeakMap<ShownRow, string>();

/** Built once for each row, because every keystroke searches up to three thousand rows. */
function searchText(row: ShownRow): string {
  const known = texts.get(row);
  if (known !== undefined) return known;
  const { row: number, input, identifier, company, reason, message, match, country } = row;
  const text = [`row ${number}`, input, identifier, company, reason, message, match, country]
    .join('\n')
    .toLowerCase();
  texts.set(row, text);
  return text;
}
