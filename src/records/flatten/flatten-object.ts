import { jsonText } from '../../runtime/json/json-text.ts';
import type { Cell } from '../columns/columns.ts';
import { isObjectFields, type ObjectFields, type ValueField } from '../columns/interface-fields.ts';
import { coerce } from './coerce.ts';

type JsonObject = Record<string, unknown>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Puts the known values of an answer into the cells from `offset` on, and returns the rest: unknown
 * fields, and known ones of a type that does not fit, each under its own path. Every leaf of the
 * answer ends up in one or the other; undefined when nothing is left.
 */
export function flattenObject(
  fields: ObjectFields,
  answer: unknown,
  cells: Cell[],
  offset: number,
): unknown {
  if (answer === undefined || answer === null) return undefined;
  return isJsonObject(answer) ? fillCells(fields, answer, cells, offset) : answer;
}

/**
 * Goes as deep as the interface does and no deeper, however deep the answer is. `for in` is a third
 * faster here than a list of the keys, and sees no other keys: JSON has nothing to inherit.
 */
function fillCells(
  fields: ObjectFields,
  holder: JsonObject,
  cells: Cell[],
  offset: number,
): JsonObject | undefined {
  let extra: JsonObject | undefined;
  for (const key in holder) {
    const value = holder[key];
    const field = fields.byKey.get(key);
    if (field !== undefined && value === null) continue;
    const rest = field === undefined ? value : placeValue(field, value, cells, offset);
    if (rest === undefined) continue;
    // Without a prototype, so that a field called __proto__ is a field like any other.
    extra ??= Object.create(null) as JsonObject;
    extra[key] = rest;
  }
  return extra;
}

/** What is left of the value after its cells are filled; undefined when nothing is. */
function placeValue(
  field: ObjectFields | ValueField,
  value: unknown,
  cells: Cell[],
  offset: number,
): unknown {
  if (isObjectFields(field)) {
    return isJsonObject(value) ? fillCells(field, value, cells, offset) : value;
  }
  const cell = toCell(field, value);
  if (cell === undefined) return value;
  cells[offset + field.index] = cell;
  return undefined;
}

function toCell(field: ValueField, value: unknown): Cell | undefined {
  if (field.type !== 'json') return coerce(field.type, value);
  return isJsonObject(value) ? jsonText(value) : undefined;
}
