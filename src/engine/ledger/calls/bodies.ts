import { constants, crc32, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { FlatCompany } from '../../../core/columns/flat-company.ts';
import { releaseMemory } from '../../../platform/memory.ts';
import type { Statements } from '../statements.ts';

export interface BodyLocation {
  readonly bundleId: number | null;
  readonly start: number | null;
  readonly length: number | null;
  readonly checksum: number | null;
  /** The flat company follows the body. Null if it has none. */
  readonly flatLength: number | null;
  /** See `flatVersion`. */
  readonly flatVersion: number | null;
}

export type Bodies = ReturnType<typeof bodiesIn>;

export interface StoredBody extends BodyLocation {
  /** The service that was called. Null for a call of version 0.9.0. */
  readonly serviceId: number | null;
}

export const bodyColumns = `
  a.bundle_id as bundleId, a.body_start as start, a.body_length as length, a.checksum,
  a.flat_length as flatLength, a.flat_version as flatVersion,
  (select service_id from call where id = a.call_id) as serviceId`;

const nowhere: BodyLocation = {
  bundleId: null,
  start: null,
  length: null,
  checksum: null,
  flatLength: null,
  flatVersion: null,
};

const cachedBytes = 2 * 1_024 * 1_024;

export function bodiesIn(statements: Statements) {
  const { get, insert } = bundlesIn(statements);
  const locate = statements.get<StoredBody>(`select ${bodyColumns} from answer a where a.id = ?`);
  /** A failed transaction ends the run, so no id refers to a rolled-back bundle. */
  const stored = new WeakMap<Bundle, number>();
  const unpacked = new Map<number, Buffer>();
  let unpackedBytes = 0;

  const putBundle = (bundle: Bundle): number => {
    const known = stored.get(bundle);
    if (known !== undefined) return known;
    const bundleId = Number(insert(bundle).lastInsertRowid);
    stored.set(bundle, bundleId);
    return bundleId;
  };
  const readBundle = (bundleId: number): Buffer | null => {
    const known = unpacked.get(bundleId);
    if (known) return known;
    const bundle = get(bundleId);
    const plain = bundle ? unpackBundle(bundle) : null;
    if (!bundle || !plain) return null;
    if (bundle.bytes !== plain) releaseMemory(bundle.bytes);
    unpacked.set(bundleId, plain);
    unpackedBytes += plain.length;
    for (const [oldest, bytes] of unpacked) {
      if (unpackedBytes <= cachedBytes || bytes === plain) break;
      unpacked.delete(oldest);
      unpackedBytes -= bytes.length;
      // The garbage collector frees old buffers late, so they would take tens of MB.
      releaseMemory(bytes);
    }
    return plain;
  };

  /**
   * Returns null if the body is damaged, undefined if there is none. A later read may free the
   * bytes, so copy them.
   */
  const read = ({ bundleId, start, length, checksum }: BodyLocation): Buffer | null | undefined => {
    if (bundleId === null) return undefined;
    const plain = readBundle(bundleId);
    if (!plain || start === null || length === null || checksum === null) return null;
    return bodyIn(plain, { start, length, checksum });
  };

  return {
    put(body: Buffer | BundledBody | null): BodyLocation {
      const [bundled] = Buffer.isBuffer(body) ? bundleBodies([{ body }]) : [body];
      if (!bundled) return nowhere;
      const { bundle, ...place } = bundled;
      return { bundleId: putBundle(bundle), ...place };
    },
    read,
    /** Undefined without a whole flat company of this version. */
    readFlat({ bundleId, start, length, ...flat }: BodyLocation, version: number) {
      if (flat.flatVersion !== version || bundleId === null) return undefined;
      const from = (start ?? 0) + (length ?? 0);
      const bytes = readBundle(bundleId)?.subarray(from, from + (flat.flatLength ?? 0));
      // Copied, because a later read may free the bytes.
      return bytes && FlatCompany.read(Buffer.from(bytes));
    },
    readOf(answerId: number) {
      const location = locate(answerId);
      return location && read(location);
    },
  };
}

export function bundlesIn({ change, get }: Statements) {
  return {
    insert: change<[Bundle]>(`
      insert into bundle (encoding, plain_length, bytes) values (:encoding, :plainLength, :bytes)`),
    get: get<Bundle, [bundleId: number]>(`
      select encoding, plain_length as plainLength, bytes from bundle where id = ?`),
  };
}

export interface Bundle {
  readonly encoding: 'plain' | 'zstd';
  readonly bytes: Buffer;
  readonly plainLength: number;
}

export interface BundledBody extends Omit<BodyLocation, 'bundleId'> {
  readonly bundle: Bundle;
  readonly start: number;
  readonly length: number;
  readonly checksum: number;
}

export interface BodyToBundle {
  readonly body: Buffer;
  /** Its flat company; see `flatVersion`. */
  readonly flat?: { readonly bytes: Buffer; readonly version: number } | undefined;
}

const leastBytesToCompress = 256;
/** Few, because reading an answer unpacks its bundle; 64 would take only a seventh less space. */
const mostBodies = 32;
const mostBytes = 128 * 1_024;

export function bundleBodies(bodies: readonly BodyToBundle[]): BundledBody[] {
  return groupsOf(bodies).flatMap((group) => {
    const parts = group.flatMap(({ body, flat }) => (flat ? [body, flat.bytes] : [body]));
    const bundle = pack(parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts));
    let start = 0;
    return group.map(({ body, flat }) => {
      const place = { bundle, start, length: body.length, checksum: crc32(body) };
      const flatLength = flat?.bytes.length ?? null;
      start += body.length + (flatLength ?? 0);
      return { ...place, flatLength, flatVersion: flat?.version ?? null };
    });
  });
}

function bodyIn(
  plain: Buffer,
  { start, length, checksum }: Pick<BundledBody, 'start' | 'length' | 'checksum'>,
): Buffer | null {
  const body = plain.subarray(start, start + length);
  return body.length === length && crc32(body) === checksum ? body : null;
}

function groupsOf(bodies: readonly BodyToBundle[]): BodyToBundle[][] {
  const groups: BodyToBundle[][] = [];
  let bytes = 0;
  for (const one of bodies) {
    const last = groups.at(-1);
    const ownBytes = one.body.length + (one.flat?.bytes.length ?? 0);
    bytes += ownBytes;
    if (last && last.length < mostBodies && bytes <= mostBytes) last.push(one);
    else {
      groups.push([one]);
      bytes = ownBytes;
    }
  }
  return groups;
}

/** Level 1 takes half the time of the fastest deflate, for the same size. */
const fastest = { [constants.ZSTD_c_compressionLevel]: 1 };

function pack(plain: Buffer): Bundle {
  const plainLength = plain.length;
  const isSmall = plainLength < leastBytesToCompress;
  const sizes = { pledgedSrcSize: plainLength, chunkSize: Math.max(plainLength >> 1, 64) };
  const bytes = isSmall ? plain : zstdCompressSync(plain, { params: fastest, ...sizes });
  return { encoding: isSmall ? 'plain' : 'zstd', plainLength, bytes };
}

/** Limits the memory that a damaged bundle could claim. */
const smallWindow = { [constants.ZSTD_d_windowLogMax]: 20 };
const largestChunk = 1_024 * 1_024;

function unpackBundle({ encoding, bytes, plainLength }: Bundle): Buffer | null {
  if (encoding === 'plain') return bytes;
  // One byte more, because zlib allocates a second chunk when the first is exactly full.
  const chunkSize = Math.min(Math.max(plainLength + 1, 64), largestChunk);
  try {
    return zstdDecompressSync(bytes, {
      params: smallWindow,
      chunkSize,
      maxOutputLength: Math.max(plainLength, 1),
    });
  } catch {
    return null;
  }
}
