import { destination, type Logger, pino, stdTimeFunctions } from 'pino';
import { printable } from '../core/values/printable.ts';

export type Log = Logger;

export type LogFormat = 'text' | 'json';

const mostUnwritten = 16 * 1024 * 1024;

export function createLog(options: {
  format: LogFormat;
  level?: string;
  /** Does not wait for each line. A killed process loses its last lines. */
  isBuffered?: boolean;
  beforeLine?: () => void;
  /** Prints the event in place of a `text` line. Returns false if it has no words for it. */
  saysInWords?: (event: string, facts: Record<string, unknown>) => boolean;
}): Log {
  const target = destination({ dest: 2, sync: !options.isBuffered, maxLength: mostUnwritten });
  // A full disk must not end the run.
  target.on('error', () => {});
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
        if (isText && options.saysInWords) {
          const { event, ...facts } = JSON.parse(line) as Record<string, unknown>;
          if (options.saysInWords(String(event), facts)) return;
        }
        options.beforeLine?.();
        target.write(isText ? `${formatText(line)}\n` : printable(line));
      },
    },
  );
}

/** `2026-08-22T04:12:09.113Z info  run.started job=acme rows=5000` */
export function formatText(line: string): string {
  const { time, level, event, ...facts } = JSON.parse(line) as Record<string, unknown>;
  const parts = Object.entries(facts).map(([key, value]) => `${key}=${formatFact(value)}`);
  return [time, String(level).padEnd(5), event, ...parts].join(' ');
}

function formatFact(value: unknown) {
  const isWord =
    typeof value === 'string' && !/[\s"=]|^$/u.test(value) && printable(value) === value;
  return isWord ? value : printable(JSON.stringify(value));
}
