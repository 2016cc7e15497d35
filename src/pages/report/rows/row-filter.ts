import type { SampledRow } from '../../../report/data/report-data.ts';
import { count } from '../../parts/text/format.ts';

export interface RowFilter {
  readonly text: string;
  /** Outcomes to show; an empty set shows every outcome. */
  readonly statuses: ReadonlySet<SampledRow['status']>;
  /** Reason to show; '' shows every reason. */
  readonly reason: string;
}

export const noFilter: RowFilter = { text: '', statuses: new Set(), reason: '' };

/** Rows of the chosen outcomes and reason whose fields hold every typed word, in any case, with accents or without. */
export function filterRows(rows: readonly SampledRow[], filter: RowFilter): readonly SampledRow[] {
  const words = plain(filter.text).split(/\s+/).filter(Boolean);
  const { statuses, reason } = filter;
  if (words.length === 0 && statuses.size === 0 && reason === '') return rows;
  return rows.filter((row) => {
    if (statuses.size > 0 && !statuses.has(row.status)) return false;
    if (reason !== '' && row.reason !== reason) return false;
    const text = searchText(row);
    return words.every((word) => text.includes(word));
  });
}

const texts = new WeakMap<SampledRow, string>();

/** Built once for each row, because every keystroke searches up to three thousand rows. */
function searchText(row: SampledRow): string {
  const known = texts.get(row);
  if (known !== undefined) return known;
  const { row: number, input, identifier, company, reason, message, match, country } = row;
  const place = `row ${number} ${count(number)}`;
  const fields = [place, input, identifier, company, reason, message, match, country];
  const text = plain(fields.join('\n'));
  texts.set(row, text);
  return text;
}

/** `Café → cafe`, as many type it. */
function plain(text: string): string {
  return text
    .normalize('NFD')
    .replaceAll(/\p{Mn}/gu, '')
    .toLowerCase();
}
