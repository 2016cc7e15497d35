import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { jobFingerprint } from '../../job/job-fingerprint.ts';
import { type Refresh, refreshedReuse } from '../../job/refresh.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import type { Run } from '../../ledger/runs/runs.ts';
import { heldFolderOf } from '../../run/result-places.ts';

/** A job that a status was asked for. */
export interface NamedJob {
  /** As a shell takes it. */
  readonly given: string;
  readonly job: ResolvedJob;
}

/** The folder in which the files of a run are put aside; null where there are none. */
export function asideOf({ output }: ResolvedJob, run: Run): string | null {
  const folder = heldFolderOf(output.path, run);
  return existsSync(join(folder, 'manifest.json')) ? folder : null;
}

/** An age that was given with `older-than` is not known. */
const refreshes = ['misses', 'failed', 'all'] as const satisfies Refresh['what'][];

/**
 * Says how an interrupted run is taken up. It goes on only where the same is asked, and `--refresh`, a try and
 * a mending ask for something else than the plain job. The ledger holds a hash of what was asked.
 */
export function howToGoOn(run: Run, named: NamedJob | undefined): string {
  if (!named) return 'Run the job again to go on, with the flags that it had.';
  const { given } = named;
  const { rowLimit: limit } = run;
  const service = { ...named.job.service, url: run.service };
  const input = { ...named.job.input, maxRows: limit ?? undefined };
  const job: ResolvedJob = { ...named.job, service, input };
  const isOf = (asked: ResolvedJob) => jobFingerprint(asked) === run.jobFingerprint;
  const tries = limit === null ? '' : ` --limit ${limit}`;
  const without = (flags: string) => `Without ${flags} a new run begins.`;
  if (isOf(job)) {
    return limit === null
      ? 'Run the job again to go on.'
      : `\`dossier run ${given}${tries}\` goes on with it. ${without('--limit')}`;
  }
  const refresh = refreshes.find((what) => isOf(refreshed(job, what)));
  if (refresh) {
    return `\`dossier run ${given} --refresh ${refresh}${tries}\` goes on with it. ${without('--refresh')}`;
  }
  if (isOf({ ...job, keepsOutcomes: true })) {
    return `\`dossier fix ${given}\` goes on with it; \`dossier run\` begins a new run.`;
  }
  return 'Only the command that began it, with all its flags, goes on with it: the job as it is begins a new run.';
}

function refreshed(job: ResolvedJob, what: (typeof refreshes)[number]): ResolvedJob {
  const refresh = { what };
  return { ...job, refresh, reuse: refreshedReuse(job.reuse, refresh) };
}
