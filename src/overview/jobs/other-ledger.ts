import { DossierError } from '../../errors.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';

/** Refuses to pay into a ledger that a flag names in the place of one that has a snapshot. */
export function refuseOtherLedger({
  name,
  ledger,
  ledgerCare,
}: Pick<ResolvedJob, 'name' | 'ledger' | 'ledgerCare'>): void {
  const { otherSnapshot } = ledgerCare;
  if (otherSnapshot === undefined) return;
  throw new DossierError(
    'USAGE',
    `--ledger names ${ledger}, but the ledger of ${name} is kept at ${otherSnapshot}, and what is paid for in another would be in no snapshot; leave --ledger away, or name the file with ledger.path of the job`,
  );
}

/** Says of a command that only reads another ledger that the snapshot is not touched. */
export function otherLedgerNote({
  ledgerCare,
}: Pick<ResolvedJob, 'ledgerCare'>): string | undefined {
  const { otherSnapshot } = ledgerCare;
  if (otherSnapshot === undefined) return undefined;
  return `--ledger names another ledger than the one that is kept at ${otherSnapshot}, which is left alone.`;
}
