import { refuseMissing } from '../../ledger/file/ledger-file.ts';
import { tellingTrouble } from '../../ledger/file/ledger-trouble.ts';
import { lockJob, takeLookupSlot } from '../../ledger/file/locks.ts';
import { type Ledger, openLedger } from '../../ledger/open-ledger.ts';
import { noteFailure, noteStart } from '../../ledger/runs/note-start.ts';
import type { QueueTerms } from '../queue-state.ts';
import { busyMs, patienceMs, whileHeld } from '../trouble/while-held.ts';
import { type HolderParts, type JobParts, type JobRuns, jobRuns, type Taken } from './job-runs.ts';

/** Holds a job while its runs are worked on. Refuses where another process holds it. */
export async function withJob<Result>(
  terms: QueueTerms,
  work: (runs: JobRuns) => Promise<Result>,
  parts: JobParts = {},
): Promise<Result> {
  requireLedger(terms);
  using _lock = lockJob(terms.ledgerPath, terms.job);
  return await withLedger(terms, work, { ...parts, isLookup: false });
}

/** Holds a slot for a lookup, whose runs have the name of the slot: lookups may go on side by side. */
export async function withLookup<Result>(
  terms: QueueTerms,
  work: (runs: JobRuns) => Promise<Result>,
  parts: JobParts = {},
): Promise<Result> {
  requireLedger(terms);
  using slot = takeLookupSlot(terms.ledgerPath);
  // Lookups of one slot ask for different companies, so that none takes the place of another.
  return await withLedger({ ...terms, job: slot.job }, work, { ...parts, isLookup: true });
}

/** Before a lock is taken, which would make the folder of a ledger that has vanished. */
function requireLedger({ ledgerMustExist, ledgerPath }: QueueTerms): void {
  if (ledgerMustExist) refuseMissing(ledgerPath);
}

async function withLedger<Result>(
  terms: QueueTerms,
  work: (runs: JobRuns) => Promise<Result>,
  parts: JobParts & Pick<HolderParts, 'isLookup'>,
): Promise<Result> {
  const bounded = { ...parts, limitMs: patienceMs };
  const { ledgerPath, ledgerMustExist: mustExist = false } = terms;
  const open = () => openLedger(ledgerPath, { busyMs, mustExist });
  using ledger = await whileHeld(open, bounded);
  let startId: number | undefined;
  try {
    return await tellingTrouble(ledgerPath, async () => {
      // At once, and not when the list is read: other jobs may wait for calls that a dead run had leased.
      const taking = () => ledger.together(() => takeOver(ledger, terms.job, parts.start));
      const taken = await whileHeld(taking, bounded);
      startId = taken.startId;
      return await work(jobRuns(ledger, terms, { ...parts, ...taken }));
    });
  } catch (error) {
    if (startId !== undefined && parts.start) noteFailure(ledger, startId, parts.start, error);
    throw error;
  }
}

/**
 * Takes the runs of a job from a dead process, with the calls that it had in flight, and notes the start. A
 * process that lives and has lost its lock stops at its next write.
 */
function takeOver({ calls, runs, starts }: Ledger, job: string, start: JobParts['start']): Taken {
  const leftInFlight = calls.recover(job);
  runs.disown(job);
  runs.dropUnfinishedIngests(job);
  return { leftInFlight, startId: start && noteStart(starts, job, start) };
}
