import { assertNever } from '../../runtime/assert-never.ts';
import type { Cell } from '../columns/columns.ts';
import type { ValueField } from '../columns/interface-fields.ts';
import { isJsonObject, type JsonObject } from './json-object.ts';
import { jsonText } from './json-text.ts';

/**
 * The cell for a value that came just as the interface says; undefined for every other, which
 * `coerce` and `findDrift` then look at. It is the cell that `coerce` would give, and no drift.
 */
export function regularCell({ type, mapOf }: ValueField, value: unknown): Cell | undefined {
  switch (type) {
    case 'text':
      return typeof value === 'string' ? value : undefined;
    case 'integer':
      return Number.isSafeInteger(value) ? (value as number) : undefined;
    case 'decimal':
      return Number.isFinite(value) ? (value as number) : undefined;
    case 'boolean':
      return typeof value === 'boolean' ? value : undefined;
    case 'list':
      return areTexts(value) ? value : undefined;
    case 'json':
      return isJsonObject(value) && holdsOnly(mapOf, value) ? jsonText(value) : undefined;
    default:
      return assertNever(type);
  }
}

function areTexts(value: unknown): value is string[] {
  if (!Array.isArray(value)) return false;
  for (const element of value) if (typeof element !== 'string') return false;
  return true;
}

function holdsOnly(mapOf: ValueField['mapOf'], map: JsonObject): boolean {
  if (mapOf === undefined) return true;
  for (const key in map) {
    const value = map[key];
    const isRegular = mapOf === 'text' ? typeof value === 'string' : Array.isArray(value);
    if (!isRegular && value !== null) return false;
  }
  return true;
}
