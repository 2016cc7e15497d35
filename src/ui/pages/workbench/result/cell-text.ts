import type { Cell } from '../../../../core/columns/columns.ts';
import { formatNumber } from '../../../../core/runtime/format.ts';
import type { TableColumn } from '../../../workbench/api.ts';
import { localTime } from '../../parts/format.ts';
import { valueWords } from '../../parts/labels.ts';

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
