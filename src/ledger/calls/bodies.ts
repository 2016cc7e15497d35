import { releaseMemory } from '../../runtime/memory.ts';
import type { Statements } from '../statements.ts';
import { type Bundle, type BundledBody, bodyIn, bundleBodies, unpackBundle } from './bundles.ts';

/** Where the body of an answer lies; all null where it has none. */
export interface BodyPlace {
  readonly bundleId: number | null;
  readonly start: number | null;
  readonly length: number | null;
  readonly checksum: number | null;
}

export type Bodies = ReturnType<typeof bodiesIn>;

/** The columns of an answer `a` that make a `BodyPlace`. */
export const bodyColumns = `
  a.bundle_id as bundleId, a.body_start as start, a.body_length as length, a.checksum`;

const nowhere: BodyPlace = { bundleId: null, start: null, length: null, checksum: null };

/** Enough for some twenty bundles, since answers of neighbouring rows came at about the same time. */
const cachedBytes = 2 * 1_024 * 1_024;

export function bodiesIn(statements: Statements) {
  const { get, insert } = bundlesIn(statements);
  /** Ids of stored bundles. A transaction that fails ends its run, so no id is of one rolled back. */
  const stored = new WeakMap<Bundle, number>();
  /** The bundles unpacked last, oldest first: answers of a bundle that are read in turn unpack it once. */
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
      // Dropped buffers are old objects: tens of megabytes would wait for the collector.
      releaseMemory(bytes);
    }
    return plain;
  };

  return {
    put(body: Buffer | BundledBody | null): BodyPlace {
      const [kept] = Buffer.isBuffer(body) ? bundleBodies([body]) : [body];
      if (!kept) return nowhere;
      const { bundle, start, length, checksum } = kept;
      return { bundleId: putBundle(bundle), start, length, checksum };
    },
    /**
     * The body of an answer; null where it is damaged, undefined where there is none. Later reads free the
     * bytes, so a caller that keeps them makes a copy.
     */
    read({ bundleId, start, length, checksum }: BodyPlace): Buffer | null | undefined {
      if (bundleId === null) return undefined;
      const plain = readBundle(bundleId);
      if (!plain || start === null || length === null || checksum === null) return null;
      return bodyIn(plain, { start, length, checksum });
    },
  };
}

export function bundlesIn({ run, get }: Statements) {
  return {
    insert: run<[Bundle]>(`
      insert into bundle (encoding, plain_length, bytes) values (:encoding, :plainLength, :bytes)`),
    get: get<[bundleId: number], Bundle>(`
      select encoding, plain_length as plainLength, bytes from bundle where id = ?`),
  };
}
