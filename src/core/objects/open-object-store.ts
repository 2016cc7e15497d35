import { randomUUID } from 'node:crypto';
import { open, readFile, stat } from 'node:fs/promises';
import type { HeadObjectCommandOutput, ListMultipartUploadsOutput } from '@aws-sdk/client-s3';
import { DossierError } from '../errors.ts';
import { systemClock } from '../runtime/clock.ts';
import { retry } from '../runtime/retry.ts';
import { type ObjectAddress, showObjectAddress } from './object-address.ts';
import { attemptsOf, connectS3, nameOf, type S3Connection, statusOf } from './s3-client.ts';

/**
 * Object storage that speaks the interface of S3. Requests are repeated where that may help; what fails
 * all the same is a `DossierError` that names the address and holds no credentials.
 */
export type ObjectStore = Awaited<ReturnType<typeof openObjectStore>>;

export type PreparedObject = Awaited<ReturnType<ObjectStore['prepare']>>;

/** How long a connection may be silent before the request is made again. */
const usualSilenceMs = 30_000;
/** Connections that may be cut in a row without a byte between them. */
const mostCuts = 5;
/** Objects up to this size wait in memory for their one request. */
const mostHeldBytes = 1_048_576;
interface WriteOptions {
  /** Media type, such as `application/json`. */
  readonly type?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The metadata by which a writer knows its own object, where the answer to its request was lost. */
const writeMark = 'dossier-write';

const mebibyte = 1_024 * 1_024;
const usualPartBytes = 8 * mebibyte;
/** What S3 allows. */
const mostParts = 10_000;
/** Parts that travel at once; their buffers are all the memory that an upload takes. */
const partsAtOnce = 3;
/** S3 asks to repeat a conditional write that met another at the same moment. */
const conflictMs = 1_500;

/**
 * Opens the store that the environment names: S3, or another at AWS_ENDPOINT_URL. Credentials are those
 * that the SDK finds: of the environment, a profile, or the role of a machine or pod. Nothing is asked yet.
 */
export async function openObjectStore(env = process.env, silenceMs = usualSilenceMs) {
  const store = await connectS3(env, silenceMs);
  const { client, attempt, trouble } = store;
  const placeOf = ({ bucket, key }: ObjectAddress) => ({ Bucket: bucket, Key: key });

  /** Undefined where there is no such object, or no such bucket: a store does not tell these apart here. */
  const head = async (at: ObjectAddress, signal?: AbortSignal) => {
    const ask = (options: object) => client.headObject(placeOf(at), options).catch(orUndefined);
    const answer = await attempt(at, ask, signal);
    return answer && factsOf(answer);
  };

  /** Writes a small object in one request; undefined where the condition does not hold. */
  const put = async (
    at: ObjectAddress,
    bytes: Uint8Array,
    {
      replaces,
      type = 'application/octet-stream',
      metadata,
      signal,
    }: WriteOptions & {
      /** Writes only if the object there still has this etag, or with null, if there is none. */
      readonly replaces?: string | null;
    } = {},
  ) => {
    const mark = randomUUID();
    const isFree = replaces === undefined;
    const request = {
      ...placeOf(at),
      Body: bytes,
      ContentType: type,
      Metadata: { ...metadata, [writeMark]: mark },
      ...(replaces === null ? { IfNoneMatch: '*' } : { IfMatch: replaces }),
    };
    const ask = (options: object) =>
      retry(
        async (attempts) => {
          try {
            return { etag: (await client.putObject(request, options)).ETag ?? '' };
          } catch (error) {
            if (isFree) throw error;
            if (statusOf(error) === 501) throw unconditional(at);
            if (!isUnmet(error)) throw error;
            return attemptsOf(error) + attempts - 1;
          }
        },
        {
          canRetry: (error) => !isFree && statusOf(error) === 409,
          waitMs: (attempts) => 100 * attempts,
          untilMs: conflictMs,
          signal,
        },
      );
    const answer = await attempt(at, ask, signal);
    if (typeof answer === 'object') return answer;
    if (answer === 1) return undefined;
    // An earlier attempt may have written the object that now stands in the way of the last.
    const there = await head(at, signal);
    return there?.metadata[writeMark] === mark ? { etag: there.etag } : undefined;
  };

  /** Streams the object, and goes on where a connection was cut; undefined where there is none. */
  const get = async (at: ObjectAddress, signal?: AbortSignal) => {
    const options = signal ? { abortSignal: signal } : {};
    const ask = (rest: { Range?: string; IfMatch?: string }) =>
      client.getObject({ ...placeOf(at), ...rest }, options);
    const askWhole = () =>
      ask({}).catch((error) => {
        if (nameOf(error) === 'NoSuchBucket') throw error;
        return orUndefined(error);
      });
    const first = await attempt(at, askWhole, signal);
    if (!first) return undefined;
    const facts = factsOf(first);
    const openFrom = async (offset: number) => {
      const answer = await ask({ Range: `bytes=${offset}-`, IfMatch: facts.etag });
      if (!answer.ContentRange?.startsWith(`bytes ${offset}-`)) throw cutShort();
      return answer.Body;
    };
    // The SDK repeats requests, but not the reading of their bodies.
    async function* bytes(): AsyncGenerator<Uint8Array> {
      let body = first?.Body;
      let received = 0;
      for (let cuts = 0; ; ) {
        try {
          body ??= await openFrom(received);
          for await (const chunk of body as AsyncIterable<Uint8Array>) {
            received += chunk.length;
            cuts = 0;
            yield chunk;
          }
          if (received === facts.size) return;
          throw cutShort();
        } catch (error) {
          signal?.throwIfAborted();
          cuts += 1;
          if (cuts > mostCuts || !isCut(error)) throw trouble(at, error);
          body = undefined;
          await systemClock.sleep(200 * cuts, signal);
        }
      }
    }
    return { facts, bytes: bytes() };
  };

  return {
    head,
    put,
    get,
    /** Brings a file of any size to the store without showing it: what is there stays until `commit`. */
    async prepare(at: ObjectAddress, path: string, options: WriteOptions = {}) {
      const { size } = await stat(path);
      if (size > mostHeldBytes) return await prepareParts(store, at, path, options, head);
      const whole = await readFile(path);
      const { signal: _, ...lasting } = options;
      return {
        commit: async () => void (await put(at, whole, lasting)),
        abort: async () => {},
      };
    },
    /** It is no error where there is none. */
    async remove(at: ObjectAddress): Promise<void> {
      await attempt(at, () => client.deleteObject(placeOf(at)));
    },
    /** Removes parts, below the address, of uploads that began before a time: their processes were killed. */
    async removeParts(at: ObjectAddress, begunBefore: number): Promise<void> {
      const below = { Bucket: at.bucket, Prefix: at.key };
      let page: ListMultipartUploadsOutput | undefined;
      do {
        const { NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker } = page ?? {};
        const next = { ...below, KeyMarker, UploadIdMarker };
        page = await attempt(at, () => client.listMultipartUploads(next));
        for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
          if (!Initiated || Initiated.getTime() >= begunBefore) continue;
          const abandoned = { Bucket: at.bucket, Key, UploadId };
          await attempt(at, () => client.abortMultipartUpload(abandoned));
        }
      } while (page.IsTruncated && page.NextKeyMarker);
    },
    /** The objects whose keys begin with that of the address, in the order of their keys. */
    async *list(at: ObjectAddress) {
      const below = { Bucket: at.bucket, Prefix: at.key };
      let ContinuationToken: string | undefined;
      do {
        const next = { ...below, ContinuationToken };
        const page = await attempt(at, () => client.listObjectsV2(next));
        for (const { Key } of page.Contents ?? []) if (Key !== undefined) yield { key: Key };
        ContinuationToken = page.NextContinuationToken;
      } while (ContinuationToken !== undefined);
    },
    [Symbol.asyncDispose]: async () => client.destroy(),
  };
}

/** `etag` changes with the content; `metadata` is what the writer has noted, by names in small letters. */
function factsOf({ ContentLength, ETag, LastModified, Metadata }: HeadObjectCommandOutput) {
  return {
    size: ContentLength ?? 0,
    etag: ETag ?? '',
    modifiedAt: LastModified?.getTime() ?? 0,
    metadata: Metadata ?? {},
  };
}

function orUndefined(error: unknown): undefined {
  if (statusOf(error) !== 404) throw error;
}

/** S3 says that there is no such key, where an object is to be replaced that is gone. */
function isUnmet(error: unknown): boolean {
  return statusOf(error) === 412 || nameOf(error) === 'NoSuchKey';
}

function cutShort(): Error {
  return Object.assign(new Error('the object came cut short'), { code: 'ECONNRESET' });
}

/** Whether the connection has failed; an answer of the store has been repeated by the SDK. */
function isCut(error: unknown): boolean {
  const { code, name, message } = error as NodeJS.ErrnoException;
  return code === 'ECONNRESET' || name === 'TimeoutError' || message === 'aborted';
}

function unconditional({ bucket }: ObjectAddress): DossierError {
  return new DossierError(
    'STORE_UNCONDITIONAL',
    `the store of ${showObjectAddress({ bucket, key: '' })} writes whether or not a condition holds, so two processes could overwrite each other's work`,
  );
}

/** Of no object. */
const otherEtag = '"0123456789abcdef0123456789abcdef"';

/**
 * Makes sure that the store heeds conditions, by writes to an object that is there, of which none may happen. A
 * lock in a store that ignores them would be held by everybody.
 */
export async function requireConditions(
  store: ObjectStore,
  standing: ObjectAddress,
  bytes: Uint8Array,
): Promise<void> {
  for (const replaces of [null, otherEtag]) {
    if (await store.put(standing, bytes, { replaces })) throw unconditional(standing);
  }
}

/** The same before there is an object, by one beside the address that is removed again. */
export async function tryConditions(store: ObjectStore, near: ObjectAddress): Promise<void> {
  const probe = { ...near, key: `${near.key}.probe-${randomUUID()}` };
  const bytes = Buffer.from('A test by Dossier whether this store heeds conditions.\n');
  try {
    await store.put(probe, bytes, { replaces: null });
    await requireConditions(store, probe, bytes);
  } finally {
    await store.remove(probe);
  }
}

/** Reads a file in parts. The memory of a part is used again when it is released, as collecting it comes too late. */
async function* readParts(path: string) {
  await using file = await open(path);
  const { size } = await file.stat();
  // Files of 80 GB and more have larger parts, as there may be 10,000.
  const needed = Math.ceil(size / mostParts / mebibyte) * mebibyte;
  const partBytes = Math.max(usualPartBytes, needed);
  const spare: Buffer[] = [];
  for (let start = 0; start < size; start += partBytes) {
    const room = spare.pop() ?? Buffer.allocUnsafe(Math.min(partBytes, size));
    const length = Math.min(room.length, size - start);
    const { bytesRead } = await file.read(room, 0, length, start);
    if (bytesRead < length) throw new Error('a file has changed while it was uploaded');
    const release = () => void spare.push(room);
    yield { number: 1 + start / partBytes, bytes: room.subarray(0, length), release };
  }
}

/**
 * Brings a file to the store in parts; it appears with the last step, and not before. The Upload of
 * @aws-sdk/lib-storage returns from an abort while parts are under way, and leaves them when the last step
 * fails. Here they are waited for, and removed.
 */
async function prepareParts(
  { client, attempt }: S3Connection,
  at: ObjectAddress,
  path: string,
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
    const parts = readParts(path);
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
