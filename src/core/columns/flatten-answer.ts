import { z } from 'zod';
import type { Warning } from '../rules/warnings.ts';
import { counted } from '../values/format.ts';
import { jsonText } from '../values/json-text.ts';
import { isRecord } from '../values/parse-json.ts';
import type { Cell, ColumnType } from './columns.ts';

type FieldType = Exclude<ColumnType, 'integers'>;

export interface ValueField {
  readonly path: readonly string[];
  readonly type: FieldType;
  readonly description: string;
  readonly index: number;
}

export interface ObjectFields {
  readonly path: readonly string[];
  readonly byKey: ReadonlyMap<string, ValueField | ObjectFields>;
  readonly values: readonly ValueField[];
}

export function fieldsOf(schema: z.ZodObject): ObjectFields {
  return objectFields(schema, [], { next: 0 });
}

function isObjectFields(field: ValueField | ObjectFields): field is ObjectFields {
  return 'byKey' in field;
}

function objectFields(
  schema: z.ZodObject,
  path: readonly string[],
  counter: { next: number },
): ObjectFields {
  const byKey = new Map<string, ValueField | ObjectFields>();
  for (const [key, outer] of Object.entries(schema.shape)) {
    const inner = unwrap(outer);
    const fieldPath = [...path, key];
    if (inner instanceof z.ZodObject) {
      byKey.set(key, objectFields(inner, fieldPath, counter));
      continue;
    }
    byKey.set(key, {
      path: fieldPath,
      type: typeOf(inner, fieldPath),
      description: z.globalRegistry.get(outer)?.description ?? '',
      index: counter.next++,
    });
  }
  const values = [...byKey.values()].flatMap((field) =>
    isObjectFields(field) ? field.values : [field],
  );
  return { path, byKey, values };
}

function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  const isWrapped =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodExactOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodNullable;
  return isWrapped ? unwrap(schema.unwrap()) : schema;
}

function typeOf(schema: z.core.$ZodType, path: readonly string[]): FieldType {
  if (schema instanceof z.ZodString) return 'text';
  if (schema instanceof z.ZodNumber) return schema.isInt ? 'integer' : 'decimal';
  if (schema instanceof z.ZodBoolean) return 'boolean';
  if (schema instanceof z.ZodISODateTime) return 'timestamp';
  if (schema instanceof z.ZodArray) return schema.element instanceof z.ZodString ? 'list' : 'json';
  if (schema instanceof z.ZodRecord) return 'json';
  if (schema instanceof z.ZodUnion) {
    // Boolean wins, because users filter by flags.
    const types = schema.options.map((option) => typeOf(unwrap(option), path));
    return types.includes('boolean') ? 'boolean' : 'text';
  }
  throw new Error(`No column type for ${path.join('.')}; add one to flatten-answer.ts`);
}

type JsonObject = Record<string, unknown>;

/** Returns the values that fit no cell. They were paid for, so they must not be lost. */
export function flattenObject(
  fields: ObjectFields,
  answer: unknown,
  cells: Cell[],
  offset: number,
): unknown {
  if (answer == null) return undefined;
  return isRecord(answer) ? fillCells(fields, answer, cells, offset) : answer;
}

/** `for in` is a third faster than `Object.keys`, and parsed JSON inherits no keys. */
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
    // Has no prototype, so a field called `__proto__` is stored like any other.
    extra ??= Object.create(null) as JsonObject;
    extra[key] = rest;
  }
  return extra;
}

const expectedOf: Readonly<Record<FieldType, string>> = {
  text: 'text',
  timestamp: 'a time',
  integer: 'a whole number',
  decimal: 'a number',
  boolean: 'true or false',
  list: 'a list of texts',
  json: 'an object',
};

/** Counts known fields in what fitted no cell. An empty value loses nothing. */
export function countMisfits(
  fields: ObjectFields,
  extra: unknown,
  misfits: Map<ValueField | ObjectFields, number>,
): void {
  if (!isRecord(extra)) return;
  for (const [key, value] of Object.entries(extra)) {
    const field = fields.byKey.get(key);
    if (field === undefined || isEmpty(value)) continue;
    if (isObjectFields(field) && isRecord(value)) countMisfits(field, value, misfits);
    else misfits.set(field, (misfits.get(field) ?? 0) + 1);
  }
}

export function misfitWarning(field: ValueField | ObjectFields, values: number): Warning {
  const name = field.path.join('.');
  const expected = expectedOf[isObjectFields(field) ? 'json' : field.type];
  const message = `${name}: ${counted(values, 'value')} did not fit (expected ${expected})`;
  return { kind: 'misfit', name, message };
}

function isEmpty(value: unknown) {
  return value === '' || (typeof value === 'object' && Object.keys(value ?? {}).length === 0);
}

function placeValue(
  field: ObjectFields | ValueField,
  value: unknown,
  cells: Cell[],
  offset: number,
): unknown {
  if (isObjectFields(field)) {
    return isRecord(value) ? fillCells(field, value, cells, offset) : value;
  }
  const cell = toCell(field, value);
  if (cell === undefined) return value;
  cells[offset + field.index] = cell;
  return undefined;
}

function toCell(field: ValueField, value: unknown): Cell | undefined {
  if (field.type !== 'json') return coerce(field.type, value);
  return isRecord(value) ? jsonText(value) : undefined;
}

/** `"1234"` is an integer; `"1,234"` and `"0123"` are not. */
function coerce(type: Exclude<FieldType, 'json'>, value: unknown): Exclude<Cell, null> | undefined {
  switch (type) {
    case 'text':
    case 'timestamp':
      return coerceText(value);
    case 'integer':
      return coerceNumber(value, wholeText, Number.isSafeInteger);
    case 'decimal':
      return coerceNumber(value, decimalText, Number.isFinite);
    case 'boolean':
      return coerceBoolean(value);
    case 'list':
      return coerceList(value);
  }
}

const wholeText = /^(?:0|-?[1-9]\d{0,15})$/;
/** A double stores at most 15 digits exactly. */
const decimalText = /^-?(?=(?:\d\.?){1,15}$)(?:0|[1-9]\d*)(?:\.\d+)?$/;

function coerceText(value: unknown) {
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? String(value) : undefined;
}

function coerceNumber(value: unknown, pattern: RegExp, fits: (number: number) => boolean) {
  if (typeof value === 'number') return fits(value) ? value : undefined;
  if (typeof value !== 'string' || !pattern.test(value)) return undefined;
  const number = Number(value);
  return fits(number) ? number : undefined;
}

function coerceBoolean(value: unknown) {
  if (typeof value === 'boolean') return value;
  if (value === 'true' || value === 1) return true;
  return value === 'false' || value === 0 ? false : undefined;
}

function coerceList(value: unknown) {
  if (!Array.isArray(value)) {
    const only = coerceText(value);
    if (only === undefined) return undefined;
    return only === '' ? [] : [only];
  }
  const texts: string[] = [];
  for (const element of value) {
    if (element === null) continue;
    const text = coerceText(element);
    if (text === undefined) return undefined;
    texts.push(text);
  }
  return texts;
}
