import type { SchemaElement, TimeUnit } from 'hyparquet';
import { type RawJson, rawJSON } from '../jsonl.ts';

type RawValue = boolean | number | bigint | string | Uint8Array;

/** A value as JSON has it. A number is kept as text where a double would change it. */
type LeafValue = string | number | boolean | RawJson | null;

const dayMs = 86_400_000;
const textKinds = ['STRING', 'UTF8', 'ENUM', 'JSON'];
const digitsOf: Record<TimeUnit, number> = { MILLIS: 3, MICROS: 6, NANOS: 9 };

export function isText({ type, converted_type, logical_type }: SchemaElement): boolean {
  return type === 'BYTE_ARRAY' && textKinds.includes(logical_type?.type ?? converted_type ?? '');
}

/** How the decoded values of a column are read; undefined for bytes that are no text. */
export function leafReader(element: SchemaElement): ((value: RawValue) => LeafValue) | undefined {
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
  // The older marks mean instants of UTC.
  const [, mark, oldUnit] = /^(TIME|TIMESTAMP)_(.*)$/.exec(converted ?? '') ?? [];
  const unit = logical && 'unit' in logical ? logical.unit : (oldUnit as TimeUnit);
  const isInstant = logical?.type === 'TIMESTAMP' ? logical.isAdjustedToUTC : true;
  switch (logical?.type ?? mark) {
    case 'TIMESTAMP':
      return (value: RawValue) => instantText(BigInt(value as bigint), unit, isInstant);
    case 'TIME':
      return (value: RawValue) => timeText(BigInt(value as bigint), unit);
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

/** `1e21` becomes digits. What is no number is a missing value: pandas has no other in such a column. */
function real(number: number): LeafValue {
  if (Number.isNaN(number)) return null;
  if (!Number.isFinite(number)) return String(number);
  if (Number.isInteger(number) && !Number.isSafeInteger(number)) {
    return rawJSON(BigInt(number).toString());
  }
  return Object.is(number, -0) ? 0 : number;
}

/** The shortest number that is the same in 32 bits: `0.10000000149011612 → 0.1`. */
function shortest32(number: number): number {
  for (let digits = 6; digits < 9; digits += 1) {
    const short = Number(number.toPrecision(digits));
    if (Math.fround(short) === number) return short;
  }
  return number;
}

/** `12345, 2 → 123.45`; zeros at the end stay, as the column declares its digits. */
function decimal(unscaled: bigint, scale: number): LeafValue {
  const sign = unscaled < 0n ? '-' : '';
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0');
  const point = digits.length - scale;
  return rawJSON(sign + digits.slice(0, point) + (scale > 0 ? `.${digits.slice(point)}` : ''));
}

/** The unscaled number of a decimal: an integer, or bytes of which the highest comes first. */
function wholeNumber(value: RawValue): bigint {
  if (!(value instanceof Uint8Array)) return BigInt(value);
  return BigInt.asIntN(value.length * 8, BigInt(`0x${Buffer.from(value).toString('hex') || 0}`));
}

/** `20513 → 2026-03-01` */
function dateText(days: RawValue): string {
  const date = new Date(Number(days) * dayMs);
  return Number.isNaN(date.getTime()) ? String(days) : (date.toISOString().split('T')[0] ?? '');
}

/**
 * An instant is written as JSON has it, `2026-03-01T09:30:00.000Z`, with as many digits as it needs; a
 * time of no zone without the Z and without a fraction that is zero.
 */
function instantText(value: bigint, unit: TimeUnit, isInstant: boolean): string {
  const { seconds, fraction } = split(value, unit);
  const date = new Date(seconds * 1_000);
  if (Number.isNaN(date.getTime())) return String(value);
  const [text] = date.toISOString().split('.');
  return isInstant ? `${text}.${fraction.padEnd(3, '0')}Z` : text + afterPoint(fraction);
}

/** `34200000 → 09:30:00` */
function timeText(value: bigint, unit: TimeUnit): string {
  const { seconds, fraction } = split(value, unit);
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  return parts.map((part) => String(part).padStart(2, '0')).join(':') + afterPoint(fraction);
}

/** The fraction has no zeros at its end. */
function split(value: bigint, unit: TimeUnit) {
  const digits = digitsOf[unit];
  const scale = 10n ** BigInt(digits);
  const rest = ((value % scale) + scale) % scale;
  const fraction = String(rest).padStart(digits, '0').replace(/0+$/, '');
  return { seconds: Number((value - rest) / scale), fraction };
}

function afterPoint(fraction: string): string {
  return fraction === '' ? '' : `.${fraction}`;
}
