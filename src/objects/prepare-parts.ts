import { randomUUID } from 'node:crypto';
import type { Part } from './cut-parts.ts';
import { headObject } from './head-object.ts';
import type { ObjectAddress, PreparedObject, WriteOptions } from './object-store.ts';
import { writeMark } from './put-object.ts';
import type { S3Connection } from './s3-client.ts';
import { attempt, nameOf } from './store-trouble.ts';

/** Parts that travel at once; their buffers are all the memory that an upload takes. */
const partsAtOnce = 3;

interface StartedUpload {
  readonly Bucket: string;
  readonly Key: string;
  readonly UploadId: string | undefined;
}

interface SentPart {
  readonly PartNumber: number;
  readonly ETag: string | undefined;
}

/**
 * Brings an object to the store in parts; it appears with the last step, and not before. The Upload of
 * @aws-sdk/lib-storage returns from an abort while parts are under way, and leaves them when the last step
 * fails. Here they are waited for, and removed.
 */
export async function prepareParts(
  store: S3Connection,
  at: ObjectAddress,
  parts: AsyncIterable<Part>,
  { type, metadata, signal }: WriteOptions,
): Promise<PreparedObject> {
  const { sdk, client } = store;
  const mark = randomUUID();
  const create = new sdk.CreateMultipartUploadCommand({
    Bucket: at.bucket,
    Key: at.key,
    ContentType: type ?? 'application/octet-stream',
    Metadata: { ...metadata, [writeMark]: mark },
  });
  // Without the signal: an upload that the store has begun unheard could not be removed.
  const { UploadId } = await attempt(store, at, () => client.send(create));
  const started: StartedUpload = { Bucket: at.bucket, Key: at.key, UploadId };
  const abort = async () => {
    // What has failed is told by others, and not that its parts could not be removed either.
    await client.send(new sdk.AbortMultipartUploadCommand(started)).catch(() => {});
  };
  const orAbort = async <Result>(step: () => Promise<Result>): Promise<Result> => {
    try {
      return await step();
    } catch (error) {
      await abort();
      throw error;
    }
  };
  const sent = await orAbort(async () => {
    signal?.throwIfAborted();
    return await sendParts(store, at, { started, parts, signal });
  });
  return { commit: () => orAbort(() => completeUpload(store, at, { started, sent, mark })), abort };
}

async function sendParts(
  store: S3Connection,
  at: ObjectAddress,
  { started, parts, signal }: { started: StartedUpload; parts: AsyncIterable<Part> } & WriteOptions,
): Promise<SentPart[]> {
  const { sdk, client } = store;
  const failed = new AbortController();
  const abortSignal = signal ? AbortSignal.any([signal, failed.signal]) : failed.signal;
  const sent: SentPart[] = [];
  const onTheWay = new Set<Promise<void>>();
  const send = async (part: Part) => {
    const command = new sdk.UploadPartCommand({
      ...started,
      PartNumber: part.number,
      Body: part.bytes,
    });
    const { ETag } = await attempt(
      store,
      at,
      (options) => client.send(command, options),
      abortSignal,
    );
    sent.push({ PartNumber: part.number, ETag });
    part.release();
  };
  try {
    for await (const part of parts) {
      // A part that fails stays among them, so that whoever waits next is told.
      const sending: Promise<void> = send(part).then(() => void onTheWay.delete(sending));
      // Until then nobody waits for it, which would end the process.
      sending.catch(() => {});
      onTheWay.add(sending);
      if (onTheWay.size >= partsAtOnce) await Promise.race(onTheWay);
    }
    await Promise.all(onTheWay);
  } catch (error) {
    failed.abort(error);
    await Promise.allSettled(onTheWay);
    throw error;
  }
  return sent.sort((a, b) => a.PartNumber - b.PartNumber);
}

async function completeUpload(
  store: S3Connection,
  at: ObjectAddress,
  { started, sent, mark }: { started: StartedUpload; sent: SentPart[]; mark: string },
): Promise<{ readonly etag: string }> {
  const { sdk, client } = store;
  const complete = new sdk.CompleteMultipartUploadCommand({
    ...started,
    MultipartUpload: { Parts: sent },
  });
  return await attempt(store, at, async () => {
    try {
      return { etag: (await client.send(complete)).ETag ?? '' };
    } catch (error) {
      if (nameOf(error) !== 'NoSuchUpload') throw error;
      // An earlier attempt may have completed it, and its answer was lost.
      const there = await headObject(store, at);
      if (there?.metadata[writeMark] !== mark) throw error;
      return { etag: there.etag };
    }
  });
}
