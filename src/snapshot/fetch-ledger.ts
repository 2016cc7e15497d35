import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DossierError } from '../errors.ts';
import { acceptCopy, placeLedger } from '../ledger/care/snapshot.ts';
import { makeLedgerFolder, realLedgerPath } from '../ledger/file/real-path.ts';
import { type ObjectAddress, showObjectAddress } from '../objects/object-address.ts';
import type { ObjectStore } from '../objects/open-object-store.ts';
import { claimTemporary, removeLeftovers } from '../runtime/files/atomic-file.ts';
import { decompressZstd } from '../runtime/files/open-bytes.ts';
import type { StoredCopy } from './control.ts';

/** Puts the stored copy in the place of a ledger, whole or not at all. */
export async function restoreLedger(
  store: ObjectStore,
  { bucket }: ObjectAddress,
  snapshot: StoredCopy,
  ledger: string,
  signal: AbortSignal,
) {
  const path = realLedgerPath(ledger);
  makeLedgerFolder(dirname(path));
  await removeLeftovers(dirname(path));
  await using copy = claimTemporary(path);
  const from = { bucket, key: snapshot.key };
  const bytes = await fetchLedger(store, from, copy.path, signal, snapshot.sha256);
  acceptCopy(copy.path, showObjectAddress(from));
  signal.throwIfAborted();
  return { bytes, replaced: await placeLedger(copy.path, path) };
}

/** Fetches a stored ledger to a file, decompressed, in memory of a few chunks; gives its size. */
export async function fetchLedger(
  store: ObjectStore,
  from: ObjectAddress,
  target: string,
  signal: AbortSignal,
  sha256?: string,
): Promise<number> {
  const damaged = (why: string, cause?: unknown) =>
    new DossierError('SNAPSHOT_DAMAGED', `${showObjectAddress(from)} cannot be used: ${why}`, {
      cause,
    });
  const found = await store.get(from, signal);
  if (!found) throw damaged('it is not there');
  const hash = createHash('sha256');
  const packed = async function* () {
    for await (const chunk of found.bytes) {
      hash.update(chunk);
      yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    }
  };
  let bytes = 0;
  const file = await open(target, 'wx');
  try {
    for await (const chunk of decompressZstd(packed())) {
      await file.writeFile(chunk);
      bytes += chunk.length;
    }
    await file.sync();
  } catch (error) {
    // A file that ends too early has a code that zstd shares with zlib.
    const isOfZstd = /^(?:ZSTD_|Z_BUF_ERROR$)/.test((error as NodeJS.ErrnoException).code ?? '');
    throw isOfZstd ? damaged((error as Error).message, error) : error;
  } finally {
    await file.close();
  }
  if (sha256 !== undefined && hash.digest('hex') !== sha256) {
    throw damaged('its bytes are not those that were stored');
  }
  return bytes;
}
