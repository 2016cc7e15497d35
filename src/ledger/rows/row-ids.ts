import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

/**
 * Packs ids of rows. Most rows of a list were stored one after another, so that the differences between
 * their ids are alike: five thousand of them take less than a hundred bytes.
 */
export function packRowIds(ids: readonly number[]): Buffer {
  const differences = new Int32Array(ids.length);
  let before = 0;
  for (const [index, id] of ids.entries()) {
    differences[index] = id - before;
    before = id;
  }
  return zstdCompressSync(Buffer.from(differences.buffer), { params: fastest });
}

const fastest = { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 };

/** Throws where the bytes have changed: another id would put another row into the list. */
export function unpackRowIds(packed: Buffer): number[] {
  const plain = zstdDecompressSync(packed);
  const ids: number[] = [];
  let id = 0;
  for (let at = 0; at < plain.length; at += Int32Array.BYTES_PER_ELEMENT) {
    id += plain.readInt32LE(at);
    ids.push(id);
  }
  return ids;
}
