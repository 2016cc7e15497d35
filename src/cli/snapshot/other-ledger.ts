import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DossierError } from '../../errors.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { notLocal, shownPath } from '../../runtime/files/local-path.ts';

/** A ledger to be read, on this machine for as long as it is open. */
interface ReadableLedger extends AsyncDisposable {
  readonly path: string;
  /** Its address, where it was fetched. */
  readonly from?: string;
}

/** Opens a ledger that a command line names: a path, or the address of a compressed copy, which is fetched. */
export async function openOtherLedger(given: string): Promise<ReadableLedger> {
  const trouble = notLocal(given, 's3://');
  if (trouble !== undefined) throw new DossierError('USAGE', `${shownPath(given)}: ${trouble}`);
  if (!/^s3:\/\//i.test(given)) return hereAt(given);
  try {
    return await fetchToRead(given, async (_, at) => at.key);
  } catch (error) {
    // What is wrong with a snapshot of the job itself has another remedy.
    const isNone = error instanceof DossierError && error.code === 'SNAPSHOT_DAMAGED';
    throw isNone ? new DossierError('USAGE', error.message, { cause: error }) : error;
  }
}

/** The ledger of a job, to be read: a temporary copy of the snapshot where there is no file here. */
export async function openToLook({
  ledger,
  ledgerCare: { snapshot },
}: Pick<ResolvedJob, 'ledger' | 'ledgerCare'>): Promise<ReadableLedger> {
  if (!snapshot || existsSync(ledger)) return hereAt(ledger);
  const { readSnapshot } = await import('../../snapshot/read-snapshot.ts');
  const fetched = await fetchToRead(snapshot.address, async (store, at) => {
    const { stored } = await readSnapshot(store, at, ledger);
    return stored?.key;
  });
  return fetched.from === undefined ? hereAt(ledger) : fetched;
}

function hereAt(path: string): ReadableLedger {
  return { path, async [Symbol.asyncDispose]() {} };
}

type JobStore = Awaited<ReturnType<typeof import('./open-job-store.ts').openJobStore>>;

async function fetchToRead(
  address: string,
  findKey: (store: JobStore['store'], at: JobStore['at']) => Promise<string | undefined>,
): Promise<ReadableLedger> {
  const { openJobStore } = await import('./open-job-store.ts');
  const { fetchLedger } = await import('../../snapshot/fetch-ledger.ts');
  const { store, at } = await openJobStore(address);
  await using _store = store;
  const key = await findKey(store, at);
  if (key === undefined) return hereAt('');
  const folder = await mkdtemp(join(tmpdir(), 'dossier-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  const path = join(folder, 'ledger.db');
  try {
    await fetchLedger(store, { ...at, key }, path, new AbortController().signal);
  } catch (error) {
    await remove();
    throw error;
  }
  return { path, from: address, [Symbol.asyncDispose]: remove };
}
