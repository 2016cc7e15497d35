import { type DestinationStream, destination, type Logger, pino } from 'pino';

export type Log = Logger;

export type LogFormat = 'text' | 'json';

export interface LogOptions {
  format: LogFormat;
  level?: string;
  /**
   * Lines of one turn of the event loop leave together, for a process that writes thousands a
   * second. None is lost at the end, unless the process is killed.
   */
  isBuffered?: boolean;
}

/**
 * Log lines are events with facts: `log.info({ rows: 5000 }, 'run.started')`. They go to standard
 * error; standard output is for data.
 */
export function openLog(options: LogOptions): Log {
  const standardError = destination({ dest: 2, sync: true });
  const target = options.isBuffered ? inBatches(standardError) : standardError;
  const stream = options.format === 'json' ? target : asText(target);
  return pino(
    {
      level: options.level ?? 'info',
      base: null,
      messageKey: 'event',
      timestamp: timeOfLine(),
      formatters: { level: (label) => ({ level: label }) },
    },
    stream,
  );
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

/** `2026-08-22T04:12:09.113Z info  run.started job=acme rows=5000` */
function asText(target: DestinationStream): DestinationStream {
  return { write: (line) => target.write(`${formatText(line)}\n`) };
}

/** Many lines share a millisecond, and writing it out is the dearest part of a line. */
function timeOfLine(): () => string {
  let lastMs = Number.NaN;
  let text = '';
  return () => {
    const nowMs = Date.now();
    if (nowMs !== lastMs) {
      lastMs = nowMs;
      text = `,"time":"${new Date(nowMs).toISOString()}"`;
    }
    return text;
  };
}

export function formatText(line: string): string {
  const entry = JSON.parse(line) as Record<string, unknown>;
  let text = `${entry.time} ${String(entry.level).padEnd(5)} ${entry.event ?? ''}`;
  for (const [key, value] of Object.entries(entry)) {
    if (key === 'time' || key === 'level' || key === 'event') continue;
    text += ` ${key}=${formatFact(value)}`;
  }
  return text;
}

/** Quotes what would not be one word; control characters never reach the terminal raw. */
function formatFact(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  return /[\s"=\p{Cc}]|^$/u.test(value) ? JSON.stringify(value) : value;
}
