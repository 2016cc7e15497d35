import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ResolvedJob } from '../../job/resolved-job.ts';

type Stopped = Pick<ResolvedJob, 'ledger' | 'name'>;

/**
 * Notes that a process is asked to stop, and says whether it is the first time. A second signal makes a run
 * leave at once and costs the answers that are on their way; so whoever asks, in any tab and by any server
 * of the folder, one signal is sent.
 */
export function noteStop(job: Stopped, pid: number): boolean {
  const { folder, file, prefix } = placeOf(job, pid);
  mkdirSync(folder, { recursive: true });
  try {
    writeFileSync(file, '', { flag: 'wx' });
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

export function isStopNoted(job: Stopped, pid: number): boolean {
  return existsSync(placeOf(job, pid).file);
}

/** A process that begins is not asked to stop, though one before it may have had the same id. */
export function forgetStop(job: Stopped, pid: number): void {
  rmSync(placeOf(job, pid).file, { force: true });
}

function placeOf({ ledger, name }: Stopped, pid: number) {
  const folder = `${ledger}-workbench`;
  const prefix = `stop-${createHash('sha256').update(name).digest('hex').slice(0, 8)}-`;
  return { folder, prefix, file: join(folder, `${prefix}${pid}`) };
}
