import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ResolvedJob } from '../../job/resolved-job.ts';

type Stopped = Pick<ResolvedJob, 'ledger' | 'name'>;

/** A process that runs a job. Another one may get its id when it has ended. */
export interface RunProcess {
  readonly pid: number;
  readonly startedAt: number;
}

/**
 * Notes that a process is asked to stop, and says whether it is the first time. A second signal makes a run
 * leave at once and costs the answers that are on their way; so whoever asks, in any tab and by any server
 * of the folder, one signal is sent.
 */
export function noteStop(job: Stopped, process: RunProcess, now = Date.now()): boolean {
  if (isStopNoted(job, process)) return false;
  const { folder, file, prefix } = placeOf(job, process);
  mkdirSync(folder, { recursive: true });
  if ((notedIn(file) ?? now) < process.startedAt) rmSync(file, { force: true });
  try {
    writeFileSync(file, `${now}`, { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
  // Notes on processes of the job that have ended.
  for (const name of readdirSync(folder)) {
    if (name.startsWith(prefix) && join(folder, name) !== file) rmSync(join(folder, name));
  }
  return true;
}

export function isStopNoted(job: Stopped, process: RunProcess): boolean {
  const notedAt = notedIn(placeOf(job, process).file);
  // An older note is of a process that had the same id.
  return notedAt !== undefined && notedAt >= process.startedAt;
}

function notedIn(file: string): number | undefined {
  try {
    // A note without a time is being written.
    return Number(readFileSync(file, 'utf8') || Date.now());
  } catch {
    return undefined;
  }
}

function placeOf({ ledger, name }: Stopped, { pid }: RunProcess) {
  const folder = `${ledger}-workbench`;
  const prefix = `stop-${createHash('sha256').update(name).digest('hex').slice(0, 8)}-`;
  return { folder, prefix, file: join(folder, `${prefix}${pid}`) };
}
