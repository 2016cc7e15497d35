import { randomUUID } from 'node:crypto';
import type { ObjectAddress } from './object-address.ts';
import { nameOf, type S3Connection } from './s3-client.ts';

/** Bytes that are read once, from the beginning. */
export interface ObjectSource {
  open(): AsyncIterable<Uint8Array>;
  readonly size: number;
}

export interface WriteOptions {
  /** Media type, such as `application/json`. */
  readonly type?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The metadata by which a writer knows its own object, where the answer to its request was lost. */
export const writeMark = 'dossier-write';

const mebibyte = 1_024 * 1_024;
const usualPartBytes = 8 * mebibyte;
/** What S3 allows. */
const mostParts = 10_000;
/** Parts that travel at once; their buffers are all the memory that an upload takes. */
const partsAtOnce = 3;

/** Files of 80 GB and more have larger parts, as there may be 10,000. */
export function partBytesFor(size: number): number {
  const needed = Math.ceil(size / mostParts / mebibyte) * mebibyte;
  return Math.max(usualPartBytes, needed);
}

/**
 * Cuts a source into parts of a size, of which the last is smaller; an empty source is one empty part. The
 * memory of a part is used again when it is released, as collecting it comes too late for a large file.
 */
export async function* cutParts(source: ObjectSource, partBytes: number) {
  const spare: Buffer[] = [];
  const room = Math.min(partBytes, source.size);
  const take = () => spare.pop() ?? Buffer.allocUnsafe(room);
  let number = 0;
  let total = 0;
  let buffer = take();
  let filled = 0;
  const cut = () => {
    number += 1;
    const whole = buffer;
    const bytes: Uint8Array = whole.subarray(0, filled);
    return { number, bytes, release: () => void spare.push(whole) };
  };
  for await (const chunk of source.open()) {
    total += chunk.length;
    if (total > source.size) break;
    for (let rest = chunk; rest.length > 0; ) {
      if (filled === room) {
        yield cut();
        buffer = take();
        filled = 0;
      }
      const fitting = rest.subarray(0, room - filled);
      buffer.set(fitting, filled);
      filled += fitting.length;
      rest = rest.subarray(fitting.length);
    }
  }
  if (total !== source.size) throw new Error('a file has changed while it was uploaded');
  yield cut();
}

/**
 * Brings an object to the store in parts; it appears with the last step, and not before. The Upload of
 * @aws-sdk/lib-storage returns from an abort while parts are under way, and leaves them when the last step
 * fails. Here they are waited for, and removed.
 */
export async function prepareParts(
  { client, attempt }: S3Connection,
  at: ObjectAddress,
  parts: ReturnType<typeof cutParts>,
  { type = 'application/octet-stream', metadata, signal }: WriteOptions,
  head: (at: ObjectAddress) => Promise<{ metadata: Record<string, string> } | undefined>,
) {
  const mark = randomUUID();
  const place = { Bucket: at.bucket, Key: at.key };
  const Metadata = { ...metadata, [writeMark]: mark };
  // Without the signal: an upload that the store has begun unheard could not be removed.
  const { UploadId } = await attempt(at, () =>
    client.createMultipartUpload({ ...place, ContentType: type, Metadata }),
  );
  const started = { ...place, UploadId };
  /** Says nothing where that fails: the store does so by its rules, in some days. */
  const abort = async () => {
    await client.abortMultipartUpload(started).catch(() => {});
  };
  const orAbort = async <Result>(step: () => Promise<Result>): Promise<Result> => {
    try {
      return await step();
    } catch (error) {
      await abort();
      throw error;
    }
  };
  const sent: { readonly PartNumber: number; readonly ETag: string | undefined }[] = [];
  const failed = new AbortController();
  const abortSignal = signal ? AbortSignal.any([signal, failed.signal]) : failed.signal;
  await orAbort(async () => {
    signal?.throwIfAborted();
    // All of them take from one iterator, which the first that fails closes for the others.
    const sendAll = async () => {
      for await (const { number: PartNumber, bytes: Body, release } of parts) {
        const ask = (options: object) =>
          client.uploadPart({ ...started, PartNumber, Body }, options);
        const { ETag } = await attempt(at, ask, abortSignal);
        sent.push({ PartNumber, ETag });
        release();
      }
    };
    const senders = Array.from({ length: partsAtOnce }, sendAll);
    try {
      await Promise.all(senders);
    } catch (error) {
      failed.abort(error);
      await Promise.allSettled(senders);
      throw error;
    }
  });
  sent.sort((a, b) => a.PartNumber - b.PartNumber);
  const commit = async () => {
    try {
      await client.completeMultipartUpload({ ...started, MultipartUpload: { Parts: sent } });
    } catch (error) {
      if (nameOf(error) !== 'NoSuchUpload') throw error;
      // An earlier attempt may have completed it, and its answer was lost.
      if ((await head(at))?.metadata[writeMark] !== mark) throw error;
    }
  };
  /** Ends with one of these. `commit` shows the object; where that fails, it removes it as `abort` does. */
  return { commit: () => orAbort(() => attempt(at, commit)), abort };
}
