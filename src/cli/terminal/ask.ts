import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { writeError } from './terminal.ts';

export function mayAsk(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY && !process.env.CI;
}

/** Anything but yes is no, also Ctrl-D and no answer in time. */
export async function isConfirmed(
  question: string,
  signal: AbortSignal,
  waitMs?: number,
): Promise<boolean> {
  const lines = createInterface({ input: process.stdin });
  // Drops lines that were typed before the question: they do not answer it.
  await delay(100);
  writeError(`${question} [y/N] `);
  const timeout = waitMs === undefined ? [] : [AbortSignal.timeout(waitMs)];
  const either = { signal: AbortSignal.any([signal, ...timeout]) };
  try {
    const line = once(lines, 'line', either).catch(() => []);
    // Ctrl-D closes the input without a line.
    const [answer] = await Promise.race([line, once(lines, 'close')]);
    // Only Enter ends the line of the question.
    if (answer === undefined) writeError('\n');
    return /^y(?:es)?$/i.test(answer?.trim() ?? '');
  } finally {
    lines.close();
    signal.throwIfAborted();
  }
}
