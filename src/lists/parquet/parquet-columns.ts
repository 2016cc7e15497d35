import type { SchemaElement, SchemaTree, TimeUnit } from 'hyparquet';
import { dayMs } from '../../core/runtime/duration.ts';
import { type RawJson, rawJSON } from '../../core/runtime/json/parse-json.ts';
import { jsonCell } from '../jsonl.ts';

export interface ListColumn {
  readonly name: string;
  readonly schema: SchemaElement[];
  readonly leaves: readonly (readonly string[])[];
  readonly isNested: boolean;
  cell(value: unknown): string | undefined;
}

/** A value inside a struct becomes the column `properties.domain`. Lists and maps become JSON. */
export function listColumns(schema: SchemaTree) {
  const columns: ListColumn[] = [];
  const byteColumns: string[] = [];

  function visit(node: SchemaTree, above: readonly SchemaElement[]) {
    const { element, children } = node;
    const mark = element.converted_type ?? element.logical_type?.type;
    const isList = element.repetition_type === 'REPEATED' || mark === 'LIST' || mark === 'MAP';
    if (children.length > 0 && !isList) {
      for (const child of children) visit(child, [...above, plainElement(element)]);
      return;
    }
    const name = node.path.join('.');
    const leaves = leavesOf(node);
    const readers = leaves.map((leaf) => leafReader(leaf.element));
    const [read] = readers;
    if (!read || readers.includes(undefined)) {
      byteColumns.push(name);
      return;
    }
    const path = node.path.slice(1);
    const own = isList ? elementsOf(node) : [plainElement(element)];
    columns.push({
      name,
      schema: [...[{ name: 'root' }, ...above].map((one) => ({ ...one, num_children: 1 })), ...own],
      leaves: leaves.map((leaf) => leaf.path),
      isNested: path.length > 0 || isList,
      cell(whole) {
        const value = path.reduce(valueAt, whole) as RawValue | null | undefined;
        if (value == null) return undefined;
        return isList ? JSON.stringify(value, withBigNumbers) : jsonCell(read(value));
      },
    });
  }
  for (const child of schema.children) visit(child, []);
  return { columns, byteColumns };
}

function valueAt(value: unknown, key: string): unknown {
  return (value as Record<string, unknown> | null | undefined)?.[key];
}

function withBigNumbers(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? rawJSON(String(value)) : value;
}

function leavesOf(node: SchemaTree): SchemaTree[] {
  return node.children.length === 0 ? [node] : node.children.flatMap(leavesOf);
}

function elementsOf({ element, children }: SchemaTree): SchemaElement[] {
  return [isText(element) ? plainElement(element) : element, ...children.flatMap(elementsOf)];
}

/** Hides most types from hyparquet, because its conversions lose digits. */
function plainElement(element: SchemaElement): SchemaElement {
  const { converted_type: _, logical_type: logical, ...plain } = element;
  if (isText(element)) return { ...plain, converted_type: 'UTF8' };
  const isDecoded = logical?.type === 'UUID' || logical?.type === 'FLOAT16';
  return isDecoded ? { ...plain, logical_type: logical } : plain;
}

type RawValue = boolean | number | bigint | string | Uint8Array;

type LeafValue = string | number | boolean | RawJson | null;

const textKinds = ['STRING', 'UTF8', 'ENUM', 'JSON'];
const digitsOf: Record<TimeUnit, number> = { MILLIS: 3, MICROS: 6, NANOS: 9 };

function isText({ type, converted_type, logical_type }: SchemaElement) {
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
  // Older types such as TIMESTAMP_MILLIS always mean UTC.
  const [, mark, oldUnit] = /^(TIME|TIMESTAMP)_(.*)$/.exec(converted ?? '') ?? [];
  const unit = logical && 'unit' in logical ? logical.unit : (oldUnit as TimeUnit);
  const isInstant = logical?.type === 'TIMESTAMP' ? logical.isAdjustedToUTC : true;
  switch (logical?.type ?? mark) {
    case 'TIMESTAMP':
      return (value: RawValue) => instantText(BigInt(value as bigint), unit, isInstant);
    case 'TIME':
      // `34200000 → 09:30:00`
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

/** pandas writes missing numbers as NaN. */
function real(number: number): LeafValue {
  if (Number.isNaN(number)) return null;
  if (!Number.isFinite(number)) return String(number);
  if (Number.isInteger(number) && !Number.isSafeInteger(number)) {
    return rawJSON(BigInt(number).toString());
  }
  return Object.is(number, -0) ? 0 : number;
}

/** `0.10000000149011612 → 0.1` */
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

/** `2026-03-01T09:30:00.000Z`, or `2026-03-01T09:30:00` without a time zone */
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
