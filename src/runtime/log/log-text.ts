import { pino } from 'pino';
import { printable } from '../printable.ts';

/** A line of JSON as people read it: `2026-08-22T04:12:09.113Z info  run.started job=acme rows=5000` */
export function formatText(line: string): string {
  const { time, level, event, ...facts } = JSON.parse(line) as Record<string, unknown>;
  const parts = Object.entries(facts).map(([key, value]) => `${key}=${formatFact(value)}`);
  return [time, String(level).padEnd(5), event, ...parts].join(' ');
}

const reserved = new Set(['time', 'level', 'event']);

/**
 * Writes a line without JSON in between, for an event with facts that are words, numbers, flags or
 * null. Undefined for anything else that a logger takes.
 */
export function flatTextLine(
  time: string,
  level: number,
  given: readonly unknown[],
): string | undefined {
  const [facts, event] = given.length === 1 ? [{}, given[0]] : given;
  const isPlain = given.length <= 2 && typeof event === 'string' && facts?.constructor === Object;
  if (!isPlain) return undefined;
  let text = `${time} ${(pino.levels.labels[level] ?? '').padEnd(5)} ${event}`;
  for (const [key, value] of Object.entries(facts)) {
    if (value === undefined) continue;
    if (!isFlat(value) || reserved.has(key)) return undefined;
    text += ` ${key}=${formatFact(value)}`;
  }
  return text;
}

function isFlat(value: unknown): boolean {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

/** Nearly every fact is one, and this is seen at a glance. */
const plainWord = /^[!#-<>-~]+$/;

/** Quotes what would not be one word; control characters never reach the terminal raw. */
function formatFact(value: unknown): string {
  if (Number.isFinite(value)) return String(value);
  if (typeof value !== 'string') return printable(JSON.stringify(value));
  return plainWord.test(value) ? value : quoteIfNeeded(value);
}

function quoteIfNeeded(value: string): string {
  const isWord = !/[\s"=]|^$/u.test(value) && printable(value) === value;
  return isWord ? value : printable(JSON.stringify(value));
}
