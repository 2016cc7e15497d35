import { nameNetwork } from '../../../src/contract/network-name.ts';
import { companyFields } from '../../../src/records/columns/company-columns.ts';
import {
  isObjectFields,
  type ObjectFields,
} from '../../../src/records/columns/interface-fields.ts';
import {
  type Drift,
  findDrift,
  noObject,
  noSuchField,
} from '../../../src/records/flatten/drift.ts';
import { isJsonObject } from '../../../src/records/flatten/json-object.ts';

/** Looks at every field of a company for itself, where an export spares those that look regular. */
export function driftInFull(company: unknown): Drift[] {
  const drifts: Drift[] = [];
  if (company !== undefined && company !== null) {
    findInObject(companyFields, nameNetwork(company), drifts);
  }
  return drifts;
}

function findInObject(fields: ObjectFields, value: unknown, drifts: Drift[]): void {
  if (!isJsonObject(value)) {
    drifts.push(noObject(fields, value));
    return;
  }
  for (const [key, inner] of Object.entries(value)) {
    const field = fields.byKey.get(key);
    if (field === undefined) drifts.push(noSuchField(fields, key, inner));
    else if (inner === null) continue;
    else if (isObjectFields(field)) findInObject(field, inner, drifts);
    else findDrift(field, inner, drifts);
  }
}
