import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress } from 'node:zlib';
import {
  type CopiedLedger,
  copyAsSnapshot,
  type SnapshotMark,
} from '../../ledger/care/snapshot/copy-as-snapshot.ts';

export interface PackRequest {
  readonly ledger: string;
  readonly mark: SnapshotMark;
  /** Where the copy goes; it is gone when this is done. */
  readonly copy: string;
  /** Where the compressed copy goes. */
  readonly packed: string;
}

export interface PackedLedger extends CopiedLedger {
  /** Of the compressed bytes. */
  readonly size: number;
  readonly sha256: string;
  /** Of the ledger itself. */
  readonly bytes: number;
}

/** Bodies of answers are compressed already, so more effort saves little. */
const level = 1;
const chunkBytes = 1024 * 1024;

/** Copies a ledger as it is at this moment, and compresses the copy. */
export async function packLedger({
  ledger,
  mark,
  copy,
  packed,
}: PackRequest): Promise<PackedLedger> {
  const copied = await copyAsSnapshot(ledger, copy, mark);
  const hash = createHash('sha256');
  let size = 0;
  let bytes = 0;
  const count = new Transform({
    transform(chunk: Buffer, _, done) {
      hash.update(chunk);
      size += chunk.length;
      done(null, chunk);
    },
  });
  const source = createReadStream(copy, { highWaterMark: chunkBytes });
  source.on('data', (chunk) => {
    bytes += chunk.length;
  });
  const params = {
    [constants.ZSTD_c_compressionLevel]: level,
    [constants.ZSTD_c_checksumFlag]: 1,
  };
  const compress = createZstdCompress({ params, chunkSize: chunkBytes });
  await pipeline(source, compress, count, createWriteStream(packed, { flags: 'wx' }));
  await rm(copy, { force: true });
  return { ...copied, size, sha256: hash.digest('hex'), bytes };
}
