import { DossierError } from '../../errors.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';

/*
 * A ledger with a snapshot is kept in a store. Its file may not be on this machine, and a flag may name another
 * one in its place.
 */
type LedgerOfJob = Pick<ResolvedJob, 'name' | 'ledger' | 'ledgerCare'>;

/** Refuses to pay into a ledger that a flag names in the place of one that has a snapshot. */
export function refuseOtherLedger({ name, ledger, ledgerCare }: LedgerOfJob): void {
  const { otherSnapshot } = ledgerCare;
  if (otherSnapshot === undefined) return;
  throw new DossierError(
    'USAGE',
    `--ledger names ${ledger}, but the ledger of ${name} is kept at ${otherSnapshot}, and what is paid for in another would be in no snapshot; leave --ledger away, or name the file with ledger.path of the job`,
  );
}

/** Says of a command that only reads another ledger that the snapshot is not touched. */
export function otherLedgerNote({
  ledgerCare: { otherSnapshot },
}: Pick<LedgerOfJob, 'ledgerCare'>): string | undefined {
  if (otherSnapshot === undefined) return undefined;
  return `--ledger names another ledger than the one that is kept at ${otherSnapshot}, which is left alone.`;
}
