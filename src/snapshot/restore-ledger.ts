import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DossierError } from '../errors.ts';
import { examineCopy } from '../ledger/care/snapshot/copy-as-snapshot.ts';
import { placeLedger } from '../ledger/care/snapshot/place-ledger.ts';
import { makeLedgerFolder } from '../ledger/file/make-folder.ts';
import { realLedgerPath } from '../ledger/file/real-path.ts';
import { showObjectAddress } from '../objects/object-address.ts';
import type { ObjectAddress, ObjectStore } from '../objects/object-store.ts';
import { claimTemporary, removeLeftovers } from '../runtime/files/atomic-file.ts';
import { decompressZstd } from '../runtime/files/decompress-zstd.ts';
import type { StoredSnapshot } from './control.ts';

/** Brings a snapshot to the place of a ledger: whole, or not at all. */
export async function restoreLedger(
  store: ObjectStore,
  { bucket }: ObjectAddress,
  snapshot: StoredSnapshot,
  ledger: string,
  signal: AbortSignal,
): Promise<{ readonly bytes: number }> {
  const path = realLedgerPath(ledger);
  makeLedgerFolder(dirname(path));
  await removeLeftovers(dirname(path));
  await using copy = claimTemporary(path);
  const from = { bucket, key: snapshot.key };
  const fetched = await fetchLedger(store, from, copy.path, signal);
  const name = showObjectAddress(from);
  if (fetched.size !== snapshot.size || fetched.sha256 !== snapshot.sha256) {
    throw damaged(name, 'its bytes are not those that were stored');
  }
  const note = examineCopy(copy.path, name);
  if (note?.token !== snapshot.token || note.generation !== snapshot.generation) {
    throw damaged(name, 'it is another snapshot than its name says');
  }
  signal.throwIfAborted();
  await placeLedger(copy.path, path);
  return { bytes: fetched.bytes };
}

/** Fetches a stored ledger to a file, decompressed, in memory of a few chunks. */
export async function fetchLedger(
  store: ObjectStore,
  from: ObjectAddress,
  target: string,
  signal: AbortSignal,
): Promise<{ readonly size: number; readonly sha256: string; readonly bytes: number }> {
  const found = await store.get(from, { signal });
  const name = showObjectAddress(from);
  if (!found) throw damaged(name, 'it is not there');
  const hash = createHash('sha256');
  let size = 0;
  const packed = async function* () {
    for await (const chunk of found.bytes) {
      hash.update(chunk);
      size += chunk.length;
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
    throw isOfZstd(error) ? damaged(name, (error as Error).message, error) : error;
  } finally {
    await file.close();
  }
  return { size, sha256: hash.digest('hex'), bytes };
}

/** A file that ends too early is told by a code that zstd has in common with zlib. */
function isOfZstd(error: unknown): boolean {
  return /^(?:ZSTD_|Z_BUF_ERROR$)/.test((error as NodeJS.ErrnoException).code ?? '');
}

function damaged(name: string, why: string, cause?: unknown): DossierError {
  return new DossierError('SNAPSHOT_DAMAGED', `${name} cannot be used: ${why}`, { cause });
}
