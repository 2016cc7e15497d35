import { jsonText } from '../../runtime/json/json-text.ts';
import type { Cell } from '../columns/columns.ts';
import {
  type FieldType,
  isObjectFields,
  type ObjectFields,
  type ValueField,
} from '../columns/interface-fields.ts';
import { coerce } from './coerce.ts';
import { type Drift, findDrift, noObject, noSuchField } from './drift.ts';
import { isJsonObject, type JsonObject } from './json-object.ts';

export interface Flattened {
  /** What no cell holds; undefined when nothing is left. */
  readonly extra: unknown;
  /** Unknown fields and other types, those that could be coerced as well. A null is no drift. */
  readonly drifts: readonly Drift[];
}

/**
 * Puts the known values of an answer into the cells from `offset` on, and returns the rest: unknown
 * fields, and known ones of a type that does not fit, each under its own path. Every leaf of the
 * answer ends up in one or the other.
 */
export function flattenObject(
  fields: ObjectFields,
  answer: unknown,
  cells: Cell[],
  offset: number,
): Flattened {
  if (answer === undefined || answer === null) return { extra: undefined, drifts: [] };
  if (!isJsonObject(answer)) return { extra: answer, drifts: [noObject(fields, answer)] };
  const drifts: Drift[] = [];
  const extra = fillCells(fields, answer, { cells, offset, drifts });
  return { extra, drifts };
}

interface Placing {
  readonly cells: Cell[];
  readonly offset: number;
  readonly drifts: Drift[];
}

/**
 * Goes as deep as the interface does and no deeper, however deep the answer is. `for in` is a third
 * faster here than a list of the keys, and sees no other keys: JSON has nothing to inherit.
 */
function fillCells(
  fields: ObjectFields,
  holder: JsonObject,
  placing: Placing,
): JsonObject | undefined {
  let extra: JsonObject | undefined;
  for (const key in holder) {
    const value = holder[key];
    const field = fields.byKey.get(key);
    if (field === undefined) placing.drifts.push(noSuchField(fields, key, value));
    else if (value === null) continue;
    const rest = field === undefined ? value : placeValue(field, value, placing);
    if (rest === undefined) continue;
    // Without a prototype, so that a field called __proto__ is a field like any other.
    extra ??= Object.create(null) as JsonObject;
    extra[key] = rest;
  }
  return extra;
}

/** What is left of the value after its cells are filled; undefined when nothing is. */
function placeValue(field: ObjectFields | ValueField, value: unknown, placing: Placing): unknown {
  if (isObjectFields(field)) {
    if (isJsonObject(value)) return fillCells(field, value, placing);
    placing.drifts.push(noObject(field, value));
    return value;
  }
  const { cells, offset, drifts } = placing;
  if (isAsPromised(field.type, value)) {
    cells[offset + field.index] = value;
    return undefined;
  }
  findDrift(field, value, drifts);
  const cell = toCell(field, value);
  if (cell === undefined) return value;
  cells[offset + field.index] = cell;
  return undefined;
}

/** Most values are: these are their own cells, and nobody looks for drift in them. */
function isAsPromised(type: FieldType, value: unknown): value is Exclude<Cell, null> {
  switch (type) {
    case 'text':
      return typeof value === 'string';
    case 'integer':
      return Number.isSafeInteger(value);
    case 'decimal':
      return Number.isFinite(value);
    case 'boolean':
      return typeof value === 'boolean';
    case 'list':
      return Array.isArray(value) && value.every((element) => typeof element === 'string');
    default:
      return false;
  }
}

function toCell(field: ValueField, value: unknown): Cell | undefined {
  if (field.type !== 'json') return coerce(field.type, value);
  return isJsonObject(value) ? jsonText(value) : undefined;
}
