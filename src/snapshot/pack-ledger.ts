import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress } from 'node:zlib';
import { copyLedger } from '../ledger/care/snapshot.ts';
import { openThread, siblingModule } from '../runtime/thread/thread.ts';

interface PackRequest {
  readonly ledger: string;
  /** The copy, which is gone when this is done. */
  readonly copy: string;
  /** The compressed copy. */
  readonly packed: string;
}

/** The thread's verbs. */
export function serve() {
  return { pack };
}

/** Below this size a ledger is copied before a thread has started. */
const leastBytes = 16 * 1024 * 1024;

/** Copies and compresses a ledger; a large one in a thread, as its check would hold up the run for seconds. */
export async function packLedger(request: PackRequest): ReturnType<typeof pack> {
  if (statSync(request.ledger).size < leastBytes) return await pack(request);
  await using thread = openThread();
  const module = siblingModule(import.meta.url, 'pack-ledger');
  const packing = await thread.open<ReturnType<typeof serve>>(module, undefined);
  return await packing.ask('pack', request);
}

const chunkBytes = 1024 * 1024;

async function pack({ ledger, copy, packed }: PackRequest) {
  const copied = await copyLedger(ledger, copy);
  const hash = createHash('sha256');
  const count = new Transform({
    transform(chunk: Buffer, _, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
  const source = createReadStream(copy, { highWaterMark: chunkBytes });
  // Bodies of answers are compressed already, so more effort saves little.
  const params = { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 };
  const compress = createZstdCompress({ params, chunkSize: chunkBytes });
  const target = createWriteStream(packed, { flags: 'wx' });
  await pipeline(source, compress, count, target);
  await rm(copy, { force: true });
  return {
    ...copied,
    bytes: source.bytesRead,
    size: target.bytesWritten,
    sha256: hash.digest('hex'),
  };
}
