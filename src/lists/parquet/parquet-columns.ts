import type { SchemaElement, SchemaTree, TimeUnit } from 'hyparquet';
import { type RawJson, rawJSON } from '../../core/runtime/json/parse-json.ts';
import { jsonCell } from '../jsonl.ts';

type Read = (value: unknown) => unknown;

export interface ListColumn {
  readonly name: string;
  readonly schema: SchemaElement[];
  readonly leaves: readonly (readonly string[])[];
  /** hyparquet skips pages of plain columns only, so these are decoded for a whole row group. */
  readonly isNested: boolean;
  cell(value: unknown): string | undefined;
}

/** `properties.domain` for a value inside a struct. */
export function listColumns(schema: SchemaTree) {
  const columns: ListColumn[] = [];
  const leftOut: string[] = [];

  function visit(node: SchemaTree, above: readonly SchemaTree[]) {
    const mark = markOf(node);
    const isOwn = mark === 'LIST' || mark === 'MAP' || mark === 'VARIANT';
    if (node.children.length > 0 && !isRepeated(node) && !isOwn) {
      for (const child of node.children) visit(child, [...above, node]);
      return;
    }
    const name = node.path.join('.');
    const read = fieldReader(node);
    if (!read) {
      leftOut.push(name);
      return;
    }
    const path = node.path.slice(1);
    const chain = [{ name: 'root' }, ...above.map(decodedAs)];
    columns.push({
      name,
      schema: [...chain.map((one) => ({ ...one, num_children: 1 })), ...elementsOf(node)],
      leaves: leavesOf(node),
      isNested: path.length > 0 || node.children.length > 0 || isRepeated(node),
      cell: (value) => jsonCell(read(path.reduce(valueAt, value))),
    });
  }
  for (const child of schema.children) visit(child, []);
  return { columns, leftOut };
}

function valueAt(value: unknown, key: string): unknown {
  return (value as Record<string, unknown> | null | undefined)?.[key];
}

function isRepeated({ element }: SchemaTree) {
  return element.repetition_type === 'REPEATED';
}

function markOf({ element, children }: SchemaTree) {
  const mark = element.logical_type?.type ?? element.converted_type;
  return mark === 'MAP_KEY_VALUE' && children.length === 1 ? 'MAP' : mark;
}

/** Mirrors hyparquet, which treats any other node as a struct. */
function shapeOf(node: SchemaTree): 'LIST' | 'MAP' | undefined {
  const mark = markOf(node);
  const [first] = node.children;
  if (!first || node.children.length > 1 || !isRepeated(first)) return undefined;
  if (mark === 'LIST' && first.children.length <= 1) return mark;
  return mark === 'MAP' && first.children.length === 2 ? mark : undefined;
}

function fieldReader(node: SchemaTree): Read | undefined {
  const read = valueReader(node);
  return read && isRepeated(node) ? ofPresent(eachOf(read)) : read;
}

function valueReader(node: SchemaTree): Read | undefined {
  const [first] = node.children;
  if (!first) return ofPresent(leafReader(node.element) as Read | undefined);
  if (markOf(node) === 'VARIANT') return undefined;
  switch (shapeOf(node)) {
    case 'LIST': {
      const [element] = first.children;
      const read = element ? fieldReader(element) : valueReader(first);
      return read && ofPresent(eachOf(read));
    }
    case 'MAP': {
      const [key, value] = first.children.map(fieldReader);
      if (!key || !value) return undefined;
      const entry = ([name, one]: [string, unknown]) => [jsonCell(key(name)) ?? '', value(one)];
      return ofPresent((map) => Object.fromEntries(Object.entries(map as object).map(entry)));
    }
    default: {
      const fields = node.children.map(
        (child) => [child.element.name, fieldReader(child)] as const,
      );
      if (fields.some(([, read]) => !read)) return undefined;
      return ofPresent((struct) =>
        Object.fromEntries(fields.map(([name, read]) => [name, read?.(valueAt(struct, name))])),
      );
    }
  }
}

function ofPresent(read: Read | undefined): Read | undefined {
  return read && ((value) => (value === null || value === undefined ? value : read(value)));
}

function eachOf(read: Read): Read {
  return (values) => (values as unknown[]).map(read);
}

function leavesOf({ path, children }: SchemaTree): (readonly string[])[] {
  return children.length === 0 ? [path] : children.flatMap(leavesOf);
}

function elementsOf(node: SchemaTree): SchemaElement[] {
  return [decodedAs(node), ...node.children.flatMap(elementsOf)];
}

/** hyparquet's own conversions lose digits. */
function decodedAs(node: SchemaTree): SchemaElement {
  const { converted_type: _, logical_type: logical, ...plain } = node.element;
  const mark = isText(node.element) ? 'UTF8' : shapeOf(node);
  if (mark) return { ...plain, converted_type: mark };
  const isDecoded = logical?.type === 'UUID' || logical?.type === 'FLOAT16';
  return isDecoded ? { ...plain, logical_type: logical } : plain;
}

type RawValue = boolean | number | bigint | string | Uint8Array;

type LeafValue = string | number | boolean | RawJson | null;

const dayMs = 86_400_000;
const textKinds = ['STRING', 'UTF8', 'ENUM', 'JSON'];
const digitsOf: Record<TimeUnit, number> = { MILLIS: 3, MICROS: 6, NANOS: 9 };

function isText({ type, converted_type, logical_type }: SchemaElement): boolean {
  return type === 'BYTE_ARRAY' && textKinds.includes(logical_type?.type ?? converted_type ?? '');
}

function leafReader(element: SchemaElement): ((value: RawValue) => LeafValue) | undefined {
  const { type, converted_type: converted, logical_type: logical } = element;
  if (converted === 'DECIMAL' || logical?.type === 'DECIMAL') {
    const scale = element.scale ?? (logical?.type === 'DECIMAL' ? logical.scale : 0);
    return (value) => decimal(wholeNumber(value), scale);
  }
  switch (type) {
    case 'BOOLEAN':
      return (value) => String(value) === 'true';
    case 'INT32':
    case 'INT64':
      return integerReader(element);
    case 'INT96':
      return (value) => instantText(value as bigint, 'NANOS', false);
    case 'FLOAT':
      return (value) => real(shortest32(Number(value)));
    case 'DOUBLE':
      return (value) => real(Number(value));
    default:
      if (logical?.type === 'FLOAT16') return (value) => real(Number(value));
      return isText(element) || logical?.type === 'UUID' ? (value) => value as string : undefined;
  }
}

function integerReader({ converted_type: converted, logical_type: logical }: SchemaElement) {
  if (converted === 'DATE' || logical?.type === 'DATE') return (value: RawValue) => dateText(value);
  // The older type marks always mean UTC.
  const [, mark, oldUnit] = /^(TIME|TIMESTAMP)_(.*)$/.exec(converted ?? '') ?? [];
  const unit = logical && 'unit' in logical ? logical.unit : (oldUnit as TimeUnit);
  const isInstant = logical?.type === 'TIMESTAMP' ? logical.isAdjustedToUTC : true;
  switch (logical?.type ?? mark) {
    case 'TIMESTAMP':
      return (value: RawValue) => instantText(BigInt(value as bigint), unit, isInstant);
    case 'TIME':
      // `34200000 → 09:30:00`, formatted as a time on day 0.
      return (value: RawValue) =>
        instantText(BigInt(value as bigint), unit, false).replace(/^.*T/, '');
  }
  const isUnsigned =
    converted?.startsWith('UINT_') || (logical?.type === 'INTEGER' && !logical.isSigned);
  if (!isUnsigned) return integer;
  return (value: RawValue) =>
    integer(typeof value === 'bigint' ? BigInt.asUintN(64, value) : Number(value) >>> 0);
}

function integer(value: RawValue): LeafValue {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : rawJSON(String(value));
}

/** NaN is a missing value: pandas has no other in a number column. */
function real(number: number): LeafValue {
  if (Number.isNaN(number)) return null;
  if (!Number.isFinite(number)) return String(number);
  if (Number.isInteger(number) && !Number.isSafeInteger(number)) {
    return rawJSON(BigInt(number).toString());
  }
  return Object.is(number, -0) ? 0 : number;
}

/** `0.10000000149011612 → 0.1`, the shortest number with the same 32 bits. */
function shortest32(number: number) {
  for (let digits = 6; digits < 9; digits += 1) {
    const short = Number(number.toPrecision(digits));
    if (Math.fround(short) === number) return short;
  }
  return number;
}

/** `12345, 2 → 123.45` */
function decimal(unscaled: bigint, scale: number): LeafValue {
  const sign = unscaled < 0n ? '-' : '';
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0');
  const point = digits.length - scale;
  return rawJSON(sign + digits.slice(0, point) + (scale > 0 ? `.${digits.slice(point)}` : ''));
}

function wholeNumber(value: RawValue) {
  if (!(value instanceof Uint8Array)) return BigInt(value);
  return BigInt.asIntN(value.length * 8, BigInt(`0x${Buffer.from(value).toString('hex') || 0}`));
}

/** `20513 → 2026-03-01` */
function dateText(days: RawValue) {
  const date = new Date(Number(days) * dayMs);
  return Number.isNaN(date.getTime()) ? String(days) : (date.toISOString().split('T')[0] ?? '');
}

/** `2026-03-01T09:30:00.000Z`. Without a zone: no Z and no zero fraction. */
function instantText(value: bigint, unit: TimeUnit, isInstant: boolean) {
  const digits = digitsOf[unit];
  const scale = 10n ** BigInt(digits);
  const rest = ((value % scale) + scale) % scale;
  const date = new Date(Number((value - rest) / scale) * 1_000);
  if (Number.isNaN(date.getTime())) return String(value);
  const text = date.toISOString().replace('.000Z', '');
  const fraction = String(rest).padStart(digits, '0').replace(/0+$/, '');
  if (isInstant) return `${text}.${fraction.padEnd(3, '0')}Z`;
  return fraction === '' ? text : `${text}.${fraction}`;
}
