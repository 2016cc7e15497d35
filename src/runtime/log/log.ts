import { type DestinationStream, destination, type Logger, pino } from 'pino';
import { printable } from '../printable.ts';

export type Log = Logger;

export type LogFormat = 'text' | 'json';

interface LogOptions {
  format: LogFormat;
  level?: string;
  /**
   * Lines of one turn of the event loop leave together, for a process that writes thousands a
   * second. None is lost at the end, unless the process is killed.
   */
  isBuffered?: boolean;
}

/** Lines that cannot be written wait for better times; more than this only costs memory. */
const mostUnwritten = 16 * 1024 * 1024;

/**
 * Log lines are events with facts: `log.info({ rows: 5000 }, 'run.started')`. They go to standard
 * error; standard output is for data.
 */
export function openLog(options: LogOptions): Log {
  const standardError = destination({ dest: 2, sync: true, maxLength: mostUnwritten });
  // A full disk under the log ends the log, not the work that it tells of.
  standardError.on('error', () => {});
  const target = options.isBuffered ? inBatches(standardError) : standardError;
  const isText = options.format === 'text';
  const now = timeOfLine();
  const log: Log = pino(
    {
      level: options.level ?? 'info',
      base: null,
      messageKey: 'event',
      timestamp: () => `,"time":"${now()}"`,
      formatters: { level: (label) => ({ level: label }) },
      hooks: {
        logMethod(given, write, level) {
          // Most lines hold plain facts and need not become JSON first. A child has facts of its own.
          const line = isText && this === log ? flatTextLine(now(), level, given) : undefined;
          if (line === undefined) write.apply(this, given);
          else target.write(`${line}\n`);
        },
      },
    },
    { write: (line) => target.write(isText ? `${formatText(line)}\n` : printable(line)) },
  );
  return log;
}

/** One write to the system for sixty lines, not sixty: a write costs more than all else in a line. */
function inBatches(target: DestinationStream): DestinationStream {
  let waiting = '';
  const flush = () => {
    if (waiting === '') return;
    const lines = waiting;
    waiting = '';
    target.write(lines);
  };
  process.once('exit', flush);
  return {
    write(line) {
      if (waiting === '') setImmediate(flush);
      waiting += line;
    },
  };
}

/** Many lines share a millisecond, and writing it out is the dearest part of a line. */
function timeOfLine(): () => string {
  let lastMs = Number.NaN;
  let text = '';
  return () => {
    const nowMs = Date.now();
    if (nowMs !== lastMs) {
      lastMs = nowMs;
      text = new Date(nowMs).toISOString();
    }
    return text;
  };
}

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
