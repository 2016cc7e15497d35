import { nameNetwork } from '../../src/contract/network-name.ts';
import { companyFields } from '../../src/export/columns.ts';
import type { Drift } from '../../src/export/drift.ts';
import {
  isObjectFields,
  type ObjectFields,
  type ValueField,
} from '../../src/export/interface-fields.ts';
import { isJsonObject } from '../../src/export/json-object.ts';

type Found = Drift['found'];

/** Looks at every field of a company for itself, without caring for time. */
export function driftInFull(company: unknown): Drift[] {
  const drifts: Drift[] = [];
  if (company !== undefined && company !== null) {
    findInObject(companyFields, nameNetwork(company), drifts);
  }
  return drifts;
}

function findInObject(fields: ObjectFields, value: unknown, drifts: Drift[]): void {
  if (!isJsonObject(value)) {
    const path = pathText(fields) || '(company)';
    drifts.push({ path, expected: 'object', found: kindOf(value) });
    return;
  }
  for (const key of Object.keys(value)) {
    const inner = value[key];
    const field = fields.byKey.get(key);
    if (field === undefined) {
      const path = [...fields.path, key].join('.');
      drifts.push({ path, expected: 'no such field', found: kindOf(inner) });
    } else if (inner !== null) {
      if (isObjectFields(field)) findInObject(field, inner, drifts);
      else findInValue(field, inner, drifts);
    }
  }
}

function findInValue(field: ValueField, value: unknown, drifts: Drift[]): void {
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
  const kinds = new Set(Object.values(value).map(kindOf));
  kinds.delete(mapOf);
  kinds.delete('null');
  const path = `${pathText(field)}.*`;
  for (const found of kinds) drifts.push({ path, expected: mapOf, found });
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
