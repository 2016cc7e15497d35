import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DossierError } from '../../core/errors.ts';
import { upgradeCopy } from '../../engine/ledger/care/backup-ledger.ts';
import type { JobLedger } from '../../job/resolved-job.ts';
import { notLocal, shownPath } from '../../platform/files/local-path.ts';
import { readObjectAddress } from '../../platform/objects/object-address.ts';

interface ReadableLedger extends AsyncDisposable {
  readonly path: string;
  /** Set if the ledger was downloaded. */
  readonly from?: string;
}

export async function openOtherLedger(given: string): Promise<ReadableLedger> {
  const problem = notLocal(given, 's3');
  if (problem !== undefined) throw new DossierError('USAGE', `${shownPath(given)}: ${problem}`);
  if (!/^s3:\/\//i.test(given)) return hereAt(given);
  try {
    return await fetchToRead(given);
  } catch (error) {
    // Another code, because the remedy of SNAPSHOT_DAMAGED fits only the job's own snapshot.
    const isDamaged = error instanceof DossierError && error.code === 'SNAPSHOT_DAMAGED';
    throw isDamaged ? new DossierError('USAGE', error.message, { cause: error }) : error;
  }
}

export async function openToLook({ ledger, ledgerCare }: JobLedger): Promise<ReadableLedger> {
  const { snapshot } = ledgerCare;
  if (!snapshot || existsSync(ledger)) return hereAt(ledger);
  return await fetchToRead(snapshot.address, ledger);
}

function hereAt(path: string): ReadableLedger {
  return { path, async [Symbol.asyncDispose]() {} };
}

/**
 * With `ledger`, downloads the newest copy stored at the snapshot address. Without it, downloads
 * the object that `address` names.
 */
async function fetchToRead(address: string, ledger?: string): Promise<ReadableLedger> {
  const { fetchLedger } = await import('../../integrations/snapshot/copy-ledger.ts');
  const { readSnapshot } = await import('../../integrations/snapshot/open-keeper.ts');
  const { store, at } = await openJobStore(address);
  await using _store = store;
  const stored = ledger === undefined ? at : (await readSnapshot(store, at, ledger)).stored;
  if (!stored) return hereAt(ledger ?? '');
  const folder = await mkdtemp(join(tmpdir(), 'dossier-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  const path = join(folder, 'ledger.db');
  try {
    await fetchLedger(store, { ...at, key: stored.key }, path, new AbortController().signal);
    if (ledger !== undefined) upgradeCopy(path);
  } catch (error) {
    await remove();
    throw error;
  }
  return { path, from: address, [Symbol.asyncDispose]: remove };
}

export async function openJobStore(address: string) {
  const at = readObjectAddress(address);
  if (!at || at.key === '') {
    const message = `${address} does not look like s3://bucket/leads/ledger.db.zst`;
    throw new DossierError('JOB_INVALID', message);
  }
  const { openObjectStore } = await import('../../platform/objects/open-object-store.ts');
  return { store: await openObjectStore(), at };
}
