import { memo } from './memo.ts';

/** Time zone offsets are multiples of 15 minutes, so every day begins on a quarter-hour. */
export const quarterMs = 15 * 60_000;

export interface Period {
  readonly name: string;
  readonly fromMs: number;
  readonly untilMs: number;
}

export function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    // Refuses offsets such as +10:00, because they have no daylight saving time.
    return !/^[+-]/.test(name);
  } catch {
    return false;
  }
}

export function timezoneNames(): string[] {
  return ['UTC', ...Intl.supportedValuesOf('timeZone')];
}

export function dayAt(wallMs: number, timezone: string): Period {
  const [year, month, day] = dateAt(wallMs, timezone);
  return {
    name: nameOf(year, month, day),
    fromMs: beginningOf(year, month, day, timezone),
    untilMs: beginningOf(year, month, day + 1, timezone),
  };
}

export function monthAt(wallMs: number, timezone: string): Period {
  const [year, month] = dateAt(wallMs, timezone);
  return {
    name: nameOf(year, month, 1).slice(0, 7),
    fromMs: beginningOf(year, month, 1, timezone),
    untilMs: beginningOf(year, month + 1, 1, timezone),
  };
}

export function beginningOfDate(date: string, timezone: string): number | undefined {
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number);
  if (!/^\d{4}-\d\d-\d\d$/.test(date) || nameOf(year, month, day) !== date) return undefined;
  return beginningOf(year, month, day, timezone);
}

const formatIn = memo(
  (timeZone: string) =>
    new Intl.DateTimeFormat('en-CA', {
      timeZone,
      hourCycle: 'h23',
      calendar: 'iso8601',
      numberingSystem: 'latn',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
    }),
);

/** `2026-11-17 00:00` */
export function localMinute(wallMs: number, timezone: string): string {
  const parts = formatIn(timezone)
    .formatToParts(wallMs)
    .map(({ type, value }) => [type, value]);
  const { year, month, day, hour, minute } = Object.fromEntries(parts);
  return `${year}-${month}-${day} ${hour}:${minute}`;
}

/** Where daylight saving skips midnight, the day starts at 01:00. */
function beginningOf(year: number, month: number, day: number, timezone: string) {
  const asUtc = Date.UTC(year, month - 1, day);
  const name = nameOf(year, month, day);
  // No zone is more than 14 hours from UTC.
  const widestQuarters = (15 * 3_600_000) / quarterMs;
  let [before, at] = [-widestQuarters, widestQuarters];
  while (at - before > 1) {
    const middle = Math.floor((before + at) / 2);
    if (localMinute(asUtc + middle * quarterMs, timezone) >= name) at = middle;
    else before = middle;
  }
  return asUtc + at * quarterMs;
}

function nameOf(year: number, month: number, day: number) {
  return new Date(Date.UTC(year, month - 1, day)).toISOString().slice(0, 10);
}

function dateAt(wallMs: number, timezone: string): [year: number, month: number, day: number] {
  const [year = 0, month = 0, day = 0] = localMinute(wallMs, timezone).split(/\D/).map(Number);
  return [year, month, day];
}
