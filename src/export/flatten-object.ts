import { coerce } from './coerce.ts';
import type { Cell } from './columns.ts';
import { isObjectFields, type ObjectFields, type ValueField } from './interface-fields.ts';
import { jsonText } from './json-text.ts';

/**
 * Puts the known values of an answer into the cells from `offset` on, and gives back whatever found
 * no place: unknown fields, and known ones of a type that does not fit, each under its own path.
 * Every leaf of the answer ends up in one or the other. Undefined when nothing is left.
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

export type JsonObject = Record<string, unknown>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Goes as deep as the interface does and no deeper, however deep the answer is. */
function fillCells(
  fields: ObjectFields,
  holder: JsonObject,
  cells: Cell[],
  offset: number,
): JsonObject | undefined {
  let extra: JsonObject | undefined;
  for (const key of Object.keys(holder)) {
    const value = holder[key];
    const rest = placeValue(fields.byKey.get(key), value, cells, offset);
    if (rest === undefined) continue;
    // Without a prototype, so that a field called __proto__ is a field like any other.
    extra ??= Object.create(null) as JsonObject;
    extra[key] = rest;
  }
  return extra;
}

/** What is left of the value after its cells are filled; undefined when nothing is. */
function placeValue(
  field: ObjectFields | ValueField | undefined,
  value: unknown,
  cells: Cell[],
  offset: number,
): unknown {
  if (field === undefined) return value;
  if (value === null) return undefined;
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
