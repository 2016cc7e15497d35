import { existsSync } from 'node:fs';
import { DossierError } from '../../errors.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';

/** Refuses to read a ledger that is kept in a store, and not on this machine: nothing is known of it here. */
export function requireHere({
  name,
  ledger,
  ledgerCare,
}: Pick<ResolvedJob, 'name' | 'ledger' | 'ledgerCare'>): void {
  const { snapshot } = ledgerCare;
  if (!snapshot || existsSync(ledger)) return;
  throw new DossierError(
    'LEDGER_NOT_HERE',
    `there is no ${ledger} on this machine; the ledger of ${name} is kept at ${snapshot.address}`,
  );
}
