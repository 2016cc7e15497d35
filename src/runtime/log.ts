import { type DestinationStream, destination, type Logger, pino } from 'pino';

export type Log = Logger;

export type LogFormat = 'text' | 'json';

/**
 * Log lines are events with facts: `log.info({ rows: 5000 }, 'run.started')`. They go to standard
 * error; standard output is for data.
 */
export function openLog(options: { format: LogFormat; level?: string }): Log {
  const standardError = destination({ dest: 2, sync: true });
  const stream = options.format === 'json' ? standardError : asText(standardError);
  return pino(
    {
      level: options.level ?? 'info',
      base: null,
      messageKey: 'event',
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    stream,
  );
}

/** `2026-08-22T04:12:09.113Z info  run.started job=acme rows=5000` */
function asText(target: DestinationStream): DestinationStream {
  return { write: (line) => target.write(`${formatText(line)}\n`) };
}

export function formatText(line: string): string {
  const { time, level, event, ...facts } = JSON.parse(line) as Record<string, unknown>;
  const parts = Object.entries(facts).map(([key, value]) => `${key}=${formatFact(value)}`);
  return [time, String(level).padEnd(5), event, ...parts].join(' ');
}

/** Quotes what would not be one word; control characters never reach the terminal raw. */
function formatFact(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return typeof value === 'string' && /[\s"=\p{Cc}]|^$/u.test(text) ? JSON.stringify(text) : text;
}
