import type { Cell } from '../../../../core/columns/columns.ts';
import { formatNumber } from '../../../../core/values/format.ts';
import { valueWords } from '../../../words/labels.ts';
import type { TableColumn, TableRow } from '../../../workbench/api/answers.ts';
import { localTime } from '../../parts/format.ts';

/** Only these columns, and only web addresses: a list or service may write `javascript:`. */
export function linkOf(value: Cell, { name, isOfList }: TableColumn): string | undefined {
  if (typeof value !== 'string' || isOfList) return undefined;
  const page = pages[name];
  if (page === undefined) return undefined;
  const written = /^[\p{L}\p{N}._-]+$/u.test(value) ? page + encodeURIComponent(value) : value;
  const url = URL.parse(written);
  return url && /^https?:$/.test(url.protocol) && !url.username ? url.href : undefined;
}

const pages: Readonly<Record<string, string>> = {
  company_website: 'https://',
  company_next_gen_website: 'https://',
  company_fqdn: 'https://',
  company_network: 'https://www.linkedin.com/company/',
  network: 'https://www.linkedin.com/in/',
};

export function cellText(value: Cell, { type, name }: TableColumn): string {
  if (value === null) return '';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') {
    // Years are not grouped: 2026, not 2,026.
    return type === 'integer' && Math.abs(value) >= 10_000 ? formatNumber(value) : String(value);
  }
  if (typeof value !== 'string') return value.join(', ');
  return type === 'timestamp' ? localTime(value) : valueWords(name, value);
}

/** The texts of a row by the name of the column. */
export function textsOf(
  page: { readonly columns: readonly TableColumn[] } | undefined,
  { cells }: TableRow,
) {
  return (name: string) => {
    const at = page?.columns.findIndex((one) => one.name === name) ?? -1;
    const column = page?.columns[at];
    return column ? cellText(cells[at] ?? null, column) : '';
  };
}
