import { type DestinationStream, destination, type Logger, pino, stdTimeFunctions } from 'pino';
import { printable } from '../printable.ts';

export type Log = Logger;

export type LogFormat = 'text' | 'json';

/** Lines that cannot be written wait for better times; more than this only costs memory. */
const mostUnwritten = 16 * 1024 * 1024;

/**
 * Log lines are events with facts: `log.info({ rows: 5000 }, 'run.started')`. They go to standard
 * error; standard output is for data.
 */
export function openLog(options: {
  format: LogFormat;
  level?: string;
  /**
   * Lines of one turn of the event loop leave together, for a process that writes thousands a
   * second. None is lost at the end, unless the process is killed.
   */
  isBuffered?: boolean;
  /** Called before a line is written, to clear what stands on the terminal's line. */
  beforeLine?: () => void;
}): Log {
  const standardError = destination({ dest: 2, sync: true, maxLength: mostUnwritten });
  // A full disk under the log ends the log, not the work that it tells of.
  standardError.on('error', () => {});
  const target = options.isBuffered ? inBatches(standardError) : standardError;
  const isText = options.format === 'text';
  return pino(
    {
      level: options.level ?? 'info',
      base: null,
      messageKey: 'event',
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    {
      write(line) {
        options.beforeLine?.();
        target.write(isText ? `${formatText(line)}\n` : printable(line));
      },
    },
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

/** A line of JSON as people read it: `2026-08-22T04:12:09.113Z info  run.started job=acme rows=5000` */
export function formatText(line: string): string {
  const { time, level, event, ...facts } = JSON.parse(line) as Record<string, unknown>;
  const parts = Object.entries(facts).map(([key, value]) => `${key}=${formatFact(value)}`);
  return [time, String(level).padEnd(5), event, ...parts].join(' ');
}

/** Quotes what would not be one word; control characters never reach the terminal raw. */
function formatFact(value: unknown): string {
  const isWord =
    typeof value === 'string' && !/[\s"=]|^$/u.test(value) && printable(value) === value;
  return isWord ? value : printable(JSON.stringify(value));
}
