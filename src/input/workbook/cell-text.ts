export type CellValue = string | number | boolean | Date | null | undefined;

/** Spreadsheets show at most this many digits; further digits are rounding errors. */
const significantDigits = 15;
const firstDay = Date.UTC(1900, 0, 1);

/**
 * Writes a cell as a person would type it: numbers without an exponent, dates in ISO 8601. An empty
 * cell is undefined. Whole numbers are padded with zeros to `minDigits`.
 */
export function cellText(value: CellValue, minDigits = 0): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  return typeof value === 'number' ? numberText(value, minDigits) : dateText(value);
}

/** `5.1824753556E10 → 51824753556`, `0.1 + 0.2 → 0.3` */
function numberText(number: number, minDigits: number): string {
  if (!Number.isFinite(number)) return String(number);
  if (Number.isInteger(number)) {
    const digits = BigInt(Math.abs(number)).toString().padStart(minDigits, '0');
    return number < 0 ? `-${digits}` : digits;
  }
  const short = String(Number(number.toPrecision(significantDigits)));
  return short.includes('e') ? number.toFixed(20).replace(/0+$/, '') : short;
}

/** `2026-03-01`, `2026-03-01T09:30:00`, `09:30:00`; an impossible date is `#####`, as in Excel. */
function dateText(date: Date): string {
  if (Number.isNaN(date.getTime())) return '#####';
  const [day = '', time = ''] = date
    .toISOString()
    .replace(/\.\d+Z$/, '')
    .split('T');
  if (date.getTime() < firstDay) return time;
  return time === '00:00:00' ? day : `${day}T${time}`;
}
