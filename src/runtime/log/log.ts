import { type DestinationStream, destination, type Logger, pino } from 'pino';
import { printable } from '../printable.ts';
import { flatTextLine, formatText } from './log-text.ts';

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
