import type { TimeUnit } from 'hyparquet';

const millisecondsOfDay = 86_400_000;
const digitsOf: Record<TimeUnit, number> = { MILLIS: 3, MICROS: 6, NANOS: 9 };

/** `20513 → 2026-03-01` */
export function dateText(days: number): string {
  const date = new Date(days * millisecondsOfDay);
  return Number.isNaN(date.getTime()) ? String(days) : (date.toISOString().split('T')[0] ?? '');
}

/**
 * An instant is written as JSON has it, `2026-03-01T09:30:00.000Z`, with as many digits as it needs; a
 * time of no zone without the Z and without a fraction that is zero.
 */
export function instantText(value: bigint, unit: TimeUnit, isInstant: boolean): string {
  const { seconds, fraction } = split(value, unit);
  const date = new Date(Number(seconds) * 1_000);
  if (Number.isNaN(date.getTime())) return String(value);
  const [text] = date.toISOString().split('.');
  return isInstant ? `${text}.${fraction.padEnd(3, '0')}Z` : text + afterPoint(fraction);
}

/** `34200000 → 09:30:00` */
export function timeText(value: bigint, unit: TimeUnit): string {
  const { seconds, fraction } = split(value, unit);
  const total = Number(seconds);
  const parts = [Math.floor(total / 3_600), Math.floor(total / 60) % 60, total % 60];
  return parts.map((part) => String(part).padStart(2, '0')).join(':') + afterPoint(fraction);
}

/** The fraction has no zeros at its end. */
function split(value: bigint, unit: TimeUnit): { seconds: bigint; fraction: string } {
  const digits = digitsOf[unit];
  const scale = 10n ** BigInt(digits);
  const rest = ((value % scale) + scale) % scale;
  const fraction = String(rest).padStart(digits, '0').replace(/0+$/, '');
  return { seconds: (value - rest) / scale, fraction };
}

function afterPoint(fraction: string): string {
  return fraction === '' ? '' : `.${fraction}`;
}
