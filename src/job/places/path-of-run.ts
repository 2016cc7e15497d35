import { join } from 'node:path';
import { isObjectPath } from '../schema/output-path.ts';

/** What of a run stands in the paths of its results. */
export interface PlacedRun {
  /** Such as `r7`. */
  readonly id: string;
  readonly job: string;
  /** Of its last start: a run that is taken up a week later is the result of that day. */
  readonly startedAt: Date;
  readonly isTry: boolean;
}

/**
 * Where the files of one run go: `out/{date}/{run} → out/2026-08-22/r7`, the date in UTC. A try of the first
 * rows has a folder inside it, so that it never replaces the whole result. `{table}` stays.
 */
export function pathOfRun(path: string, { id, job, startedAt, isTry }: PlacedRun): string {
  const filled = { date: startedAt.toISOString().slice(0, 10), run: id, job };
  const whole = path.replace(/\{(date|run|job)\}/g, (_, name: keyof typeof filled) => filled[name]);
  return isTry ? insideOf(whole, 'try') : whole;
}

/**
 * A folder inside that of a result, for what must not be taken for it. Where tables lie apart it comes before
 * them: who reads all below a table finds only results.
 */
export function insideOf(path: string, name: string): string {
  if (!isObjectPath(path)) return join(path, name);
  const table = path.indexOf('{table}');
  const [above, below] = table === -1 ? [path, ''] : cutAt(path, path.lastIndexOf('/', table) + 1);
  return `${above.replace(/\/?$/, '/')}${name}${below === '' ? '' : `/${below}`}`;
}

function cutAt(text: string, index: number): [string, string] {
  return [text.slice(0, index), text.slice(index)];
}
