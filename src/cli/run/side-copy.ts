import { relative } from 'node:path';
import type { JobFlags } from '../../job/job-flags.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { openJobToRead } from '../../overview/jobs/open-job.ts';
import { readManifest } from '../../sinks/export-folder.ts';
import { shellWord } from '../terminal/text.ts';

/**
 * Says of a run with --output what becomes of the regular folder of its job, where a result of the job stands: the
 * next run is compared with this one, wherever its files went.
 */
export async function sideCopyNotes(
  job: ResolvedJob,
  given: JobFlags & { readonly job: string },
): Promise<string[]> {
  if (given.output === undefined || given.limit !== undefined) return [];
  const own = openJobToRead(given.job, { ...given, output: undefined }).output.path;
  const isOwn = own === job.output.path && !job.output.isLeftOut;
  const standing = isOwn ? undefined : await readManifest(own);
  if (standing?.job.name !== job.name) return [];
  const folder = relative(process.cwd(), own) || '.';
  const ledger = given.ledger === undefined ? [] : ['--ledger', given.ledger];
  const words = ['dossier', 'export', given.job, '--output', given.output, ...ledger];
  return [
    `${folder} keeps the files of ${standing.run.id}. The next run is compared with this one, so changes.* there will not tell what it finds. A copy elsewhere, without a run: ${words.map(shellWord).join(' ')}`,
  ];
}
