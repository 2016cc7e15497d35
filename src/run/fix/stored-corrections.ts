import { dirname } from 'node:path';
import { DossierError } from '../../core/errors.ts';
import { openLedgerToRead } from '../../engine/ledger/open-ledger.ts';
import {
  type Correction,
  makeCorrectionsFolder,
  putCorrections,
  readCorrections,
  withoutCorrections,
  writeCorrections,
} from '../../job/corrections.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { openInput } from '../../lists/open-input.ts';
import { lockFolder } from '../../platform/files/lock-file.ts';
import { ingest, lookAtRows } from '../list/ingest.ts';

export function requireCorrectionsPath({ corrections }: ResolvedJob): string {
  if (corrections !== undefined) return corrections;
  throw new DossierError(
    'USAGE',
    'corrections are stored beside a job file or a list; for standard input, write a job file',
  );
}

export async function keepCorrections(
  job: ResolvedJob,
  corrections: readonly Correction[],
  /** Corrections that the user took back. */
  dropped: readonly Correction[] = [],
): Promise<void> {
  const path = requireCorrectionsPath(job);
  makeCorrectionsFolder(path);
  using _lock = await lockFolder(dirname(path));
  const left = withoutCorrections(readCorrections(path), dropped);
  await writeCorrections(path, putCorrections(left, corrections));
}

export async function dropCorrections(
  job: ResolvedJob,
  isDropped: (correction: Correction) => boolean,
) {
  const path = requireCorrectionsPath(job);
  using _lock = await lockFolder(dirname(path));
  const { dropped = [], left = [] } = Object.groupBy(readCorrections(path), (correction) =>
    isDropped(correction) ? 'dropped' : 'left',
  );
  if (dropped.length > 0) await writeCorrections(path, left);
  return { dropped, left: left.length };
}

export async function listCorrections(job: ResolvedJob) {
  const kept = readCorrections(requireCorrectionsPath(job));
  const read = await readList(job, kept).catch((error: unknown) => {
    if (error instanceof DossierError) return error;
    throw error;
  });
  const stateOf = (one: Correction): 'applies' | 'unneeded' | 'missing' | 'unknown' => {
    if (read instanceof DossierError) return 'unknown';
    if (read.missing.includes(one)) return 'missing';
    return read.applied.includes(one) ? 'applies' : 'unneeded';
  };
  return {
    corrections: kept.map((one) => ({ ...one, state: stateOf(one) })),
    trouble: read instanceof DossierError ? read.message : null,
  };
}

async function readList(job: ResolvedJob, corrections: readonly Correction[]) {
  const { path, address, options } = job.input;
  if (corrections.length === 0) return { applied: corrections, missing: corrections };
  if (path === '-') {
    throw new DossierError('INPUT_UNREADABLE', 'standard input can only be read when the job runs');
  }
  await using input = await openInput(address ?? path, options);
  return await correctRows(job, corrections, input);
}

/** Reads the list like a run, but stores nothing. */
export async function correctRows(
  job: ResolvedJob,
  corrections: readonly Correction[],
  input: Parameters<typeof ingest>[2],
  onRows?: Parameters<typeof lookAtRows>[0],
) {
  const options = { keyOfLastRun: keyOfLastRun(job), corrections, isDraft: true };
  return await ingest(lookAtRows(onRows), job, input, options);
}

export function keyOfLastRun({ ledger: path, name, input }: ResolvedJob) {
  using ledger = openLedgerToRead(path);
  return ledger?.runs.newestKeyed(name, input.path)?.keyColumns;
}
