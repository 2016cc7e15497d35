import type { FileLock } from './file-lock.ts';
import { tryLockJob } from './job-lock.ts';

export interface LookupSlot extends FileLock {
  /** The job name under which the ledger keeps the lookups of this slot. */
  readonly job: string;
}

/** `@` stands in no name of a job, so a slot is never taken for one. */
const slotName = /^lookup@[1-9]\d*$/;

/**
 * Takes the first free slot, since lookups may go on side by side. The holder of a slot knows that the
 * one before has ended, and may recover its leases; with one name for all, a lookup would take the
 * leases of lookups that are still alive.
 */
export function takeLookupSlot(ledgerPath: string): LookupSlot {
  for (let place = 1; ; place += 1) {
    const job = `lookup@${place}`;
    const lock = tryLockJob(ledgerPath, job);
    if (lock) return { job, ...lock };
  }
}

export function isLookupSlot(job: string): boolean {
  return slotName.test(job);
}
