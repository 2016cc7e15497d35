import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DossierError } from '../../errors.ts';
import { notSupported, shownPath } from '../../runtime/files/local-path.ts';

/** A ledger to be read, on this machine for as long as it is open. */
interface OtherLedger extends AsyncDisposable {
  readonly path: string;
  /** Its address, where it was fetched. */
  readonly from?: string;
}

/** Opens a ledger that a command line names: a path, or the address of a compressed copy, which is fetched. */
export async function openOtherLedger(given: string): Promise<OtherLedger> {
  const trouble = notSupported(given, ['s3://']);
  if (trouble !== undefined) throw new DossierError('USAGE', `${shownPath(given)}: ${trouble}`);
  if (!/^s3:\/\//i.test(given)) return { path: given, async [Symbol.asyncDispose]() {} };
  const { openJobStore } = await import('./open-job-store.ts');
  const { fetchLedger } = await import('../../snapshot/restore-ledger.ts');
  const { store, at } = await openJobStore(given);
  await using _store = store;
  const folder = await mkdtemp(join(tmpdir(), 'dossier-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  const path = join(folder, 'ledger.db');
  try {
    await fetchLedger(store, at, path, new AbortController().signal);
  } catch (error) {
    await remove();
    // What is wrong with a snapshot of the job itself has another remedy.
    const isNone = error instanceof DossierError && error.code === 'SNAPSHOT_DAMAGED';
    throw isNone ? new DossierError('USAGE', error.message, { cause: error }) : error;
  }
  return { path, from: given, [Symbol.asyncDispose]: remove };
}
