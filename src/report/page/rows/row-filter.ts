import type { ShownRow } from '../../report-data.ts';

export interface RowFilter {
  readonly text: string;
  /** Every outcome where it is empty. */
  readonly statuses: ReadonlySet<ShownRow['status']>;
  /** '' for every reason. */
  readonly reason: string;
}

export const noFilter: RowFilter = { text: '', statuses: new Set(), reason: '' };

/** Rows whose fields hold every word that was typed, whatever its case. */
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

/** Made once for each row: three thousand are searched at every key that is pressed. */
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
