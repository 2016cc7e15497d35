import type { ObjectFields, ValueField } from '../columns/interface-fields.ts';
import { isJsonObject } from './json-object.ts';

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

/** Where the interface has an object; at the top, where the answer as a whole is none. */
export function noObject(fields: ObjectFields, value: unknown): Drift {
  return { path: pathText(fields) || '(company)', expected: 'object', found: kindOf(value) };
}

export function noSuchField(fields: ObjectFields, key: string, value: unknown): Drift {
  const path = [...fields.path, key].join('.');
  return { path, expected: 'no such field', found: kindOf(value) };
}

/** What a value that is not null has of another type than its field, though it may be coerced. */
export function findDrift(field: ValueField, value: unknown, drifts: Drift[]): void {
  if (field.type === 'list') {
    findInList(field, value, drifts);
  } else if (field.type === 'json') {
    findInMap(field, value, drifts);
  } else {
    const found = kindOf(value);
    if (isAccepted(field.type, found) || field.alsoTakes?.some((type) => type === found)) return;
    drifts.push({ path: pathText(field), expected: field.type, found });
  }
}

function isAccepted(expected: Found, found: Found): boolean {
  return expected === found || (expected === 'decimal' && found === 'integer');
}

/** Each kind of element is told once: a list of a thousand numbers is one drift. */
function findInList(field: ValueField, value: unknown, drifts: Drift[]): void {
  if (!Array.isArray(value)) {
    drifts.push({ path: pathText(field), expected: 'list', found: kindOf(value) });
    return;
  }
  if (value.every((element) => typeof element === 'string')) return;
  const kinds = new Set(value.map(kindOf));
  kinds.delete('text');
  const path = `${pathText(field)}[]`;
  for (const found of kinds) drifts.push({ path, expected: 'text', found });
}

function findInMap(field: ValueField, value: unknown, drifts: Drift[]): void {
  if (!isJsonObject(value)) {
    drifts.push({ path: pathText(field), expected: 'object', found: kindOf(value) });
    return;
  }
  const { mapOf } = field;
  if (mapOf === undefined) return;
  const others = Object.values(value)
    .map(kindOf)
    .filter((kind) => kind !== mapOf && kind !== 'null');
  for (const found of new Set(others)) {
    drifts.push({ path: `${pathText(field)}.*`, expected: mapOf, found });
  }
}

function pathText({ path }: ObjectFields | ValueField): string {
  return path.join('.');
}

function kindOf(value: unknown): Found {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'decimal';
  if (typeof value === 'boolean') return 'boolean';
  return typeof value === 'string' ? 'text' : 'object';
}
