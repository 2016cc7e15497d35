import type { SchemaElement } from 'hyparquet';
import { parseFloat16 } from 'hyparquet/src/convert.js';
import { type RawJson, rawJSON } from '../json-cell.ts';
import type { RawValue } from './page-values.ts';
import { dateText, instantText, timeText } from './time-text.ts';

/** A value as JSON has it. A number is kept as text where a double would change it. */
export type LeafValue = string | number | boolean | RawJson | null;

type Read = (value: RawValue) => LeafValue;

/** How the values of a column are read; undefined for bytes that are no text. */
export function leafReader(element: SchemaElement): Read | undefined {
  const { type, converted_type: converted, logical_type: logical } = element;
  if (converted === 'DECIMAL' || logical?.type === 'DECIMAL') {
    const scale = element.scale ?? (logical?.type === 'DECIMAL' ? logical.scale : 0);
    return (value) => decimal(wholeNumber(value), scale);
  }
  switch (type) {
    case 'BOOLEAN':
      return (value) => value === true;
    case 'INT32':
    case 'INT64':
      return integerReader(element);
    case 'INT96':
      return (value) => instantText(nanosecondsOf96(value as Uint8Array), 'NANOS', false);
    case 'FLOAT':
      return (value) => real(shortest32(Number(value)));
    case 'DOUBLE':
      return (value) => real(Number(value));
    default:
      return bytesReader(element);
  }
}

function integerReader({ converted_type: converted, logical_type: logical }: SchemaElement): Read {
  if (converted === 'DATE' || logical?.type === 'DATE') return (value) => dateText(Number(value));
  if (logical?.type === 'TIMESTAMP') {
    const { unit, isAdjustedToUTC } = logical;
    return (value) => instantText(BigInt(value as bigint), unit, isAdjustedToUTC);
  }
  if (logical?.type === 'TIME') return (value) => timeText(BigInt(value as bigint), logical.unit);
  // The older marks mean instants of UTC.
  if (converted === 'TIMESTAMP_MILLIS' || converted === 'TIMESTAMP_MICROS') {
    const unit = converted === 'TIMESTAMP_MILLIS' ? 'MILLIS' : 'MICROS';
    return (value) => instantText(BigInt(value as bigint), unit, true);
  }
  if (converted === 'TIME_MILLIS' || converted === 'TIME_MICROS') {
    const unit = converted === 'TIME_MILLIS' ? 'MILLIS' : 'MICROS';
    return (value) => timeText(BigInt(value as bigint), unit);
  }
  const isUnsigned =
    converted?.startsWith('UINT_') || (logical?.type === 'INTEGER' && !logical.isSigned);
  if (!isUnsigned) return integer;
  return (value) =>
    integer(typeof value === 'bigint' ? BigInt.asUintN(64, value) : Number(value) >>> 0);
}

function bytesReader({ type, converted_type: converted, logical_type: logical }: SchemaElement) {
  const kind = logical?.type ?? converted;
  if (kind === 'UUID') return (value: RawValue) => uuid(bytesOf(value));
  if (kind === 'FLOAT16') return (value: RawValue) => real(parseFloat16(bytesOf(value)) ?? null);
  const isText = ['STRING', 'UTF8', 'ENUM', 'JSON'].includes(kind ?? '');
  if (type !== 'BYTE_ARRAY' || !isText) return undefined;
  return (value: RawValue) => bytesOf(value).toString('utf8');
}

function integer(value: RawValue): LeafValue {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : rawJSON(String(value));
}

/** `1e21` becomes digits. What is no number is a missing value: pandas has no other in such a column. */
function real(number: number | null): LeafValue {
  if (number === null || Number.isNaN(number)) return null;
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
  if (value.length === 0) return 0n;
  return BigInt.asIntN(value.length * 8, BigInt(`0x${bytesOf(value).toString('hex')}`));
}

/** Nanoseconds of the day, and the Julian day. */
function nanosecondsOf96(value: Uint8Array): bigint {
  const bytes = bytesOf(value);
  const days = BigInt(bytes.readInt32LE(8) - 2_440_588);
  return days * 86_400_000_000_000n + bytes.readBigInt64LE(0);
}

function uuid(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

function bytesOf(value: RawValue): Buffer {
  const { buffer, byteOffset, byteLength } = value as Uint8Array;
  return Buffer.from(buffer, byteOffset, byteLength);
}
