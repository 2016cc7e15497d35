import { DossierError } from '../../errors.ts';
import { openInput } from '../../input/open-input.ts';
import type { Correction } from '../../job/mended/correction.ts';
import { readCorrections } from '../../job/mended/corrections-file.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { keyOfLastRun } from '../../queue/mended/listed-rows.ts';
import type { Counts } from '../../rules/outcomes.ts';
import { type IngestedList, ingest } from '../list/ingest.ts';
import { requirePlace } from './mend-list.ts';

/** A correction and whether the list still needs it. */
export interface ListedCorrection extends Correction {
  /**
   * `applies`: the list holds the rejected value. `unneeded`: it has another value there. `missing`: it does not
   * have the row. `unknown`: the list could not be read.
   */
  readonly state: 'applies' | 'unneeded' | 'missing' | 'unknown';
}

export interface CorrectionsOfJob {
  readonly corrections: readonly ListedCorrection[];
  /** Why the list could not be read. */
  readonly trouble: string | undefined;
}

/** Lists the corrections of a job, and reads its list to see which it still needs. Makes no call. */
export async function listCorrections(
  job: ResolvedJob,
  signal?: AbortSignal,
): Promise<CorrectionsOfJob> {
  const kept = readCorrections(requirePlace(job));
  if (kept.length === 0) return { corrections: [], trouble: undefined };
  const withState = (stateOf: (correction: Correction) => ListedCorrection['state']) =>
    kept.map((correction) => ({ ...correction, state: stateOf(correction) }));
  try {
    const read = await readList(job, kept, signal);
    const [applied, missing] = [new Set(read.applied), new Set(read.missing)];
    const corrections = withState((one) => {
      if (missing.has(one)) return 'missing';
      return applied.has(one) ? 'applies' : 'unneeded';
    });
    return { corrections, trouble: undefined };
  } catch (error) {
    if (!(error instanceof DossierError)) throw error;
    return { corrections: withState(() => 'unknown'), trouble: error.message };
  }
}

async function readList(
  job: ResolvedJob,
  kept: readonly Correction[],
  signal: AbortSignal | undefined,
): Promise<Pick<IngestedList, 'applied' | 'missing'>> {
  if (job.input.path === '-') {
    throw new DossierError('INPUT_UNREADABLE', 'standard input is read when the job runs');
  }
  const place = job.input.address ?? job.input.path;
  await using input = await openInput(place, job.input.options, { signal });
  const read = { job: job.name, inputPath: job.input.path };
  const known = { keyOfLastRun: keyOfLastRun(job.ledger, read), corrections: kept };
  return await ingest(noQueue, job, input, { ...known, ...(signal && { signal }) });
}

const nothing: Counts = {
  rows: { open: 0, matched: 0, not_found: 0, invalid: 0, failed: 0 },
  calls: { called: 0, reused: 0, joined: 0, open: 0, failed: 0, shared: 0 },
  ...{ stale: 0, people: 0, failedSearches: 0, incompleteSearches: 0 },
};

/** The rows are read to be looked at, and go nowhere. */
const noQueue = { add: async () => nothing, counts: async () => nothing };
