import type { CellValue, TableColumn } from '../../../../workbench/api/rows.ts';
import { count } from '../../../parts/text/format.ts';

/** What a cell says: `true → yes`, `12345 → 12,345`, `['a', 'b'] → a, b`. Empty where there is nothing. */
export function cellText(value: CellValue, type: TableColumn['type']): string {
  if (value === null) return '';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return numberText(value, type);
  if (typeof value !== 'string') return value.join(', ');
  return type === 'timestamp' ? timeText(value) : value;
}

export function isNumeric(type: TableColumn['type']): boolean {
  return type === 'integer' || type === 'decimal';
}

/** A year is a number, too, and nobody groups its digits. */
function numberText(value: number, type: TableColumn['type']): string {
  if (type !== 'integer') return String(value);
  return Math.abs(value) < 10_000 ? String(value) : count(value);
}

/** `2026-08-22T04:12:09.113Z → 2026-08-22 04:12 UTC` */
function timeText(text: string): string {
  const [, date, time] = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})[\d:.]*Z$/.exec(text) ?? [];
  return date && time ? `${date} ${time} UTC` : text;
}
