import type { SchemaElement, SchemaTree, TimeUnit } from 'hyparquet';
import { dayMs } from '../../core/values/duration.ts';
import { type RawJson, rawJSON } from '../../core/values/parse-json.ts';
import { jsonCell } from '../jsonl.ts';

export interface ListColumn {
  readonly name: string;
  /** The name of a top-level column, then the names inside its structs. */
  readonly path: readonly string[];
  /** Takes a value of the top-level column. */
  cell(value: unknown): string | undefined;
}

/** A value inside a struct becomes the column `properties.domain`. Lists and maps become JSON. */
export function listColumns(schema: SchemaTree) {
  const columns: ListColumn[] = [];
  const byteColumns: string[] = [];

  function visit(node: SchemaTree) {
    const { element, children, path } = node;
    const mark = element.converted_type ?? element.logical_type?.type;
    const isList = element.repetition_type === 'REPEATED' || mark === 'LIST' || mark === 'MAP';
    if (children.length > 0 && !isList) {
      children.forEach(visit);
      return;
    }
    const name = path.join('.');
    const readers = leavesOf(node).map((leaf) => leafReader(leaf.element));
    if (!isList) hideType(element);
    const [read] = readers;
    if (!read || readers.includes(undefined)) {
      byteColumns.push(name);
      return;
    }
    const inside = path.slice(1);
    columns.push({
      name,
      path,
      cell(whole) {
        const value = inside.reduce(valueAt, whole) as RawValue | null | undefined;
        if (value == null) return undefined;
        return isList ? JSON.stringify(value, withBigNumbers) : jsonCell(read(value));
      },
    });
  }
  schema.children.forEach(visit);
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

/** Makes hyparquet give the stored value, because most of its conversions lose digits. */
function hideType(element: SchemaElement) {
  const { converted_type: converted, logical_type: logical } = element;
  if (isText(element)) {
    element.converted_type = 'UTF8';
    return;
  }
  if (!converted?.startsWith('UINT_')) delete element.converted_type;
  if (!/^(?:UUID|FLOAT16|INTEGER)$/.test(logical?.type ?? '')) delete element.logical_type;
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
  return integer;
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
