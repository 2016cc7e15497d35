import { styleText } from 'node:util';
import type { StartStatus } from '../../overview/status/status-json.ts';
import { formatDuration } from '../../runtime/duration.ts';
import { wrapped } from '../terminal/text.ts';

const indent = '  ';

/** The starts of a job, one on a line: when, which run, how it ended, how long it took and where. */
export function startLines(
  starts: readonly StartStatus[],
  width: number,
  stream: NodeJS.WriteStream,
): string[] {
  if (starts.length === 0) return [];
  const cells = starts.map(cellsOf);
  const widths = [0, 1, 2, 3].map((index) =>
    Math.max(...cells.map((line) => line[index]?.length ?? 0)),
  );
  const lines = starts.map((start, index) => {
    const padded = cells[index]?.map((cell, at) => cell.padEnd(widths[at] ?? 0)) ?? [];
    const line = cut(padded.join('  ').trimEnd(), width - indent.length);
    return indent + (isBad(start) ? styleText('yellow', line, { stream }) : line);
  });
  return ['', styleText('bold', 'starts, UTC', { stream }), ...lines];
}

/** Keeps the blanks that align the cells. */
function cut(line: string, width: number): string {
  return line.length > width ? `${line.slice(0, width - 1)}…` : line;
}

/** A line about the last start of a job, where it did not finish. */
export function badEndLine(
  job: string,
  last: StartStatus | undefined,
  width: number,
  stream: NodeJS.WriteStream,
): string[] {
  if (!last || !isBad(last)) return [];
  const [minute, , end] = cellsOf(last);
  const line = `${job}: the last start, of ${minute} UTC on ${last.host}: ${end}`;
  return wrapped(line, width).map((part) => styleText('yellow', part, { stream }));
}

/** 0 and 3 have finished: the files are whole. */
function isBad({ state, exitCode }: StartStatus): boolean {
  return state === 'killed' || (exitCode !== null && exitCode !== 0 && exitCode !== 3);
}

/** `2026-08-22 02:15  r7  exit 75 BUDGET_SPENT  12s  on crow` */
function cellsOf(start: StartStatus): string[] {
  const { startedAt, state, run, exitCode, reason, seconds, host } = start;
  const code = exitCode === null ? state : `exit ${exitCode}`;
  return [
    startedAt.slice(0, 16).replace('T', ' '),
    run ?? '-',
    reason === null ? code : `${code} ${reason}`,
    seconds === null ? '' : formatDuration(seconds * 1_000),
    `on ${host}`,
  ];
}
