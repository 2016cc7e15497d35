import type { Cell, ColumnType } from '../columns/columns.ts';

/**
 * Whether two cells of a column say the same. The order of a list, and of the keys and lists within
 * JSON, says nothing: services give them in any order.
 */
export function isSameCell(type: ColumnType, one: Cell, other: Cell): boolean {
  if (one === other) return true;
  if (one === null || other === null) return false;
  if (typeof one === 'object' && typeof other === 'object') {
    return one.length === other.length && sortedText(one) === sortedText(other);
  }
  if (type !== 'json' || typeof one !== 'string' || typeof other !== 'string') return false;
  return isSameJson(one, other);
}

function isSameJson(one: string, other: string): boolean {
  try {
    return canonicalText(JSON.parse(one)) === canonicalText(JSON.parse(other));
  } catch (error) {
    // JSON that is nested thousands of levels deep is compared as it came.
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).sort().join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).map(
    ([key, inner]) => `${JSON.stringify(key)}:${canonicalText(inner)}`,
  );
  return `{${entries.sort().join(',')}}`;
}

function sortedText(list: readonly (string | number)[]): string {
  return JSON.stringify(list.map(String).sort());
}
