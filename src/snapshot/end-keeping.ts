import { DossierError } from '../errors.ts';
import { takeNote } from '../ledger/care/snapshot/note-file.ts';
import { showObjectAddress } from '../objects/object-address.ts';
import type { HeldLease } from './hold-lease.ts';
import { type PublishParts, publishSnapshot, storeAside } from './publish.ts';

/**
 * Stores what is in no snapshot, aside where the lease is lost, and gives the lease back. Where the store
 * is away, the lease is left to expire.
 */
export async function endKeeping(
  lease: HeldLease,
  parts: PublishParts,
  hasChanged: boolean,
): Promise<DossierError | undefined> {
  const where = showObjectAddress(parts.at);
  try {
    // A ledger that nobody has changed may hold answers of a process that was killed.
    const isNeeded = hasChanged || (takeNote(parts.ledger)?.answersSince ?? 0) > 0;
    // A lease that could not be renewed may still be free: the write of the snapshot holds only then.
    if (isNeeded && !(await publishSnapshot(lease, parts))) return await putAside(parts, where);
    await lease.release();
    return undefined;
  } catch (error) {
    lease.stop();
    const reason = error instanceof Error ? error.message : String(error);
    return new DossierError(
      'SNAPSHOT_UNSTORED',
      `the ledger could not be stored at ${where}: ${reason}. ${atRisk(parts.ledger)}`,
      { cause: error },
    );
  }
}

async function putAside(parts: PublishParts, where: string): Promise<DossierError | undefined> {
  // Without an answer nothing was paid for, and the next start does it again.
  const hasAnswers = (takeNote(parts.ledger)?.answersSince ?? 0) > 0;
  const address = hasAnswers ? await storeAside(parts) : undefined;
  if (address === undefined) return undefined;
  return new DossierError(
    'SNAPSHOT_DIVERGED',
    `another process uses the ledger of ${where}, so this one is stored aside; \`dossier ledger merge ${address} <job>\` takes over its answers`,
  );
}

function atRisk(ledger: string): string {
  try {
    const answers = takeNote(ledger)?.answersSince ?? 0;
    const calls = answers === 1 ? '1 call' : `${answers.toLocaleString('en')} calls`;
    return `Should this disk be lost, ${calls} since the last snapshot would be paid for again`;
  } catch {
    return 'Should this disk be lost, the calls since the last snapshot would be paid for again';
  }
}
