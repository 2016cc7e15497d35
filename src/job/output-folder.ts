import { join } from 'node:path';

/**
 * The folder of one run: `out/{date}/{run} → out/2026-08-22/r7`. The date is that of its last start, in
 * UTC: a run that is taken up a week later is the result of that day. A try of the first rows has a
 * folder inside it, so that it never replaces the whole result.
 */
export function outputFolder(
  path: string,
  run: { id: string; startedAt: Date; isTry: boolean },
): string {
  const filled = { date: run.startedAt.toISOString().slice(0, 10), run: run.id };
  const folder = path.replace(/\{(date|run)\}/g, (_, name: 'date' | 'run') => filled[name]);
  return run.isTry ? join(folder, 'try') : folder;
}
