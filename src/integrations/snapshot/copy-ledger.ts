import { createReadStream, createWriteStream, statSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress } from 'node:zlib';
import { DossierError } from '../../core/errors.ts';
import { acceptCopy, copyLedger, placeLedger } from '../../engine/ledger/care/backup-ledger.ts';
import { makeLedgerFolder, realLedgerPath } from '../../engine/ledger/file/ledger-path.ts';
import { claimTemporary, removeLeftovers } from '../../platform/files/atomic-file.ts';
import { decompressZstd } from '../../platform/files/read-bytes.ts';
import { type ObjectAddress, showObjectAddress } from '../../platform/objects/object-address.ts';
import type { ObjectStore } from '../../platform/objects/open-object-store.ts';
import { openThread, siblingModule } from '../../platform/thread/thread.ts';
import type { StoredCopy } from './lease.ts';

export async function restoreLedger(
  store: ObjectStore,
  { bucket }: ObjectAddress,
  { key }: StoredCopy,
  ledger: string,
  mayLackRuns: boolean,
  signal: AbortSignal,
) {
  const path = realLedgerPath(ledger);
  makeLedgerFolder(dirname(path));
  await removeLeftovers(dirname(path));
  await using copy = claimTemporary(path);
  const from = { bucket, key };
  const bytes = await fetchLedger(store, from, copy.path, signal);
  acceptCopy(copy.path, showObjectAddress(from), mayLackRuns);
  signal.throwIfAborted();
  return { bytes, replaced: await placeLedger(copy.path, path) };
}

export async function fetchLedger(
  store: ObjectStore,
  from: ObjectAddress,
  target: string,
  signal: AbortSignal,
): Promise<number> {
  const damaged = (why: string, cause?: unknown) =>
    new DossierError('SNAPSHOT_DAMAGED', `${showObjectAddress(from)} cannot be used: ${why}`, {
      cause,
    });
  const found = await store.get(from, signal);
  if (!found) throw damaged('it does not exist');
  const packed = async function* () {
    for await (const chunk of found.bytes) {
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
    // zstd reports a truncated file with zlib's code.
    const isOfZstd = /^(?:ZSTD_|Z_BUF_ERROR$)/.test((error as NodeJS.ErrnoException).code ?? '');
    throw isOfZstd ? damaged((error as Error).message, error) : error;
  } finally {
    await file.close();
  }
  return bytes;
}

interface PackOptions {
  readonly ledger: string;
  readonly copy: string;
  readonly packed: string;
}

export function serve() {
  return { pack };
}

/** Copying a smaller ledger takes less time than starting a thread. */
const leastBytes = 16 * 1024 * 1024;

/** Uses a thread, because checking a large ledger would block the run for seconds. */
export async function packLedger(options: PackOptions): ReturnType<typeof pack> {
  if (statSync(options.ledger).size < leastBytes) return await pack(options);
  await using thread = openThread();
  const module = siblingModule(import.meta.url, 'copy-ledger');
  const packing = await thread.open<ReturnType<typeof serve>>(module, undefined);
  return await packing.ask('pack', options);
}

const chunkBytes = 1024 * 1024;

async function pack({ ledger, copy, packed }: PackOptions) {
  const copied = await copyLedger(ledger, copy);
  const source = createReadStream(copy, { highWaterMark: chunkBytes });
  // Level 1 is enough, because answers are already compressed.
  const params = { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 };
  const compress = createZstdCompress({ params, chunkSize: chunkBytes });
  const target = createWriteStream(packed, { flags: 'wx' });
  await pipeline(source, compress, target);
  await rm(copy, { force: true });
  return { ...copied, bytes: source.bytesRead, size: target.bytesWritten };
}
