import { nameNetwork } from '../contract/network-name.ts';
import { companyFields } from './columns.ts';
import { isJsonObject } from './flatten-object.ts';
import { isObjectFields, type ObjectFields, type ValueField } from './interface-fields.ts';

type Found = 'text' | 'integer' | 'decimal' | 'boolean' | 'list' | 'object' | 'null';

/** One field that came otherwise than the interface says. */
export interface Drift {
  /** `nextGen.web_traffic.summary.bounce_rate`; `phones[]` for an element of a list. */
  readonly path: string;
  readonly expected:
    | 'text'
    | 'integer'
    | 'decimal'
    | 'boolean'
    | 'list'
    | 'object'
    | 'no such field';
  readonly found: Found;
}

/** Unknown fields and other types, those that could be coerced as well. A null is no drift. */
export function driftOf(company: unknown): Drift[] {
  if (company === undefined || company === null) return [];
  return objectDrift(companyFields, nameNetwork(company), '(company)');
}

function objectDrift(fields: ObjectFields, value: unknown, path: string): Drift[] {
  if (!isJsonObject(value)) return [{ path, expected: 'object', found: kindOf(value) }];
  return Object.entries(value).flatMap(([key, inner]) => {
    const field = fields.byKey.get(key);
    const innerPath = [...fields.path, key].join('.');
    if (field === undefined) {
      return [{ path: innerPath, expected: 'no such field' as const, found: kindOf(inner) }];
    }
    if (inner === null) return [];
    return isObjectFields(field)
      ? objectDrift(field, inner, innerPath)
      : valueDrift(field, inner, innerPath);
  });
}

function valueDrift(field: ValueField, value: unknown, path: string): Drift[] {
  const found = kindOf(value);
  if (field.type === 'list') return listDrift(value, path);
  if (field.type === 'json') return mapDrift(field, value, path);
  if (isAccepted(field.type, found) || field.alsoTakes?.some((type) => type === found)) return [];
  return [{ path, expected: field.type, found }];
}

function isAccepted(expected: Found, found: Found): boolean {
  return expected === found || (expected === 'decimal' && found === 'integer');
}

/** Each kind of element is told once: a list of a thousand numbers is one drift. */
function listDrift(value: unknown, path: string): Drift[] {
  if (!Array.isArray(value)) return [{ path, expected: 'list', found: kindOf(value) }];
  const kinds = new Set(value.map(kindOf));
  kinds.delete('text');
  return [...kinds].map((found) => ({ path: `${path}[]`, expected: 'text' as const, found }));
}

function mapDrift(field: ValueField, value: unknown, path: string): Drift[] {
  if (!isJsonObject(value)) return [{ path, expected: 'object', found: kindOf(value) }];
  const { mapOf } = field;
  if (mapOf === undefined) return [];
  const kinds = new Set(Object.values(value).map(kindOf));
  kinds.delete(mapOf);
  kinds.delete('null');
  return [...kinds].map((found) => ({ path: `${path}.*`, expected: mapOf, found }));
}

function kindOf(value: unknown): Found {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'decimal';
  if (typeof value === 'boolean') return 'boolean';
  return typeof value === 'string' ? 'text' : 'object';
}
