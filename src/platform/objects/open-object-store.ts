import { randomUUID } from 'node:crypto';
import { open, readFile, stat } from 'node:fs/promises';
import type { GetObjectCommandOutput, HeadObjectCommandOutput } from '@aws-sdk/client-s3';
import { DossierError } from '../../core/errors.ts';
import { systemClock } from '../clock.ts';
import { retry } from '../retry.ts';
import { type ObjectAddress, showObjectAddress } from './object-address.ts';
import { attemptsMade, connectS3, httpStatusOf, nameOf, type S3Connection } from './s3-client.ts';

/** Its errors contain no credentials. */
export interface ObjectStore extends AsyncDisposable {
  /** Also undefined for a missing bucket, because a HEAD response looks the same. */
  head(at: ObjectAddress, signal?: AbortSignal): Promise<ObjectFacts | undefined>;
  /** Returns undefined if the condition in `replaces` is not met. */
  put(
    at: ObjectAddress,
    bytes: Uint8Array,
    options?: ConditionalWrite,
  ): Promise<Pick<ObjectFacts, 'etag'> | undefined>;
  /** Goes on after cuts of the connection, if the object is still the same. */
  get(at: ObjectAddress, signal?: AbortSignal): Promise<StoredObject | undefined>;
  /** The existing object stays unchanged until `commit`. */
  prepare(at: ObjectAddress, path: string, options?: WriteOptions): Promise<PreparedObject>;
  remove(at: ObjectAddress): Promise<void>;
  /** Aborts unfinished uploads whose key starts with `at.key`, up to 1,000 at a time. */
  removeParts(at: ObjectAddress, begunBefore?: number): Promise<void>;
  /** Objects whose key starts with `at.key`. */
  list(at: ObjectAddress): AsyncGenerator<{ readonly key: string }>;
}

interface ObjectFacts {
  readonly size: number;
  readonly etag: string;
  readonly metadata: Readonly<Record<string, string>>;
}

interface StoredObject {
  readonly facts: ObjectFacts;
  readonly bytes: AsyncGenerator<Uint8Array>;
}

export interface PreparedObject {
  commit(): Promise<void>;
  abort(): Promise<void>;
}

/** A download survives this many connection cuts in a row without a byte between them. */
const mostCuts = 5;
const mostHeldBytes = 1_048_576;

interface WriteOptions {
  readonly type?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface ConditionalWrite extends WriteOptions {
  /** Required ETag. Null: the object must not exist. Undefined: no condition. */
  readonly replaces?: string | null;
}

/** If the response is lost, the writer recognises its own object by this metadata. */
const writeMark = 'dossier-write';

const mebibyte = 1_024 * 1_024;
const usualPartBytes = 8 * mebibyte;
const mostParts = 10_000;
/** An upload has only this many parts in memory. */
const partsAtOnce = 3;
/** How long to retry a conditional write that collided with another, as S3 asks clients to do. */
const conflictMs = 1_500;

export async function openObjectStore(
  env = process.env,
  idleTimeoutMs = 30_000,
): Promise<ObjectStore> {
  const s3 = await connectS3(env, idleTimeoutMs);
  const { client, attempt } = s3;
  return {
    head: async (at, signal) => (await headObject(s3, at, signal)) ?? undefined,
    put: putObject.bind(undefined, s3),
    get: getObject.bind(undefined, s3),
    async prepare(at, path, options = {}) {
      const { size } = await stat(path);
      if (size > mostHeldBytes) return await prepareParts(s3, at, path, options);
      const whole = await readFile(path);
      const { signal: _, ...lasting } = options;
      return {
        commit: async () => void (await putObject(s3, at, whole, lasting)),
        abort: async () => {},
      };
    },
    async remove(at) {
      await attempt(at, () => client.deleteObject(bucketAndKey(at)));
    },
    async removeParts(at, begunBefore = Number.POSITIVE_INFINITY) {
      const below = { Bucket: at.bucket, Prefix: at.key };
      const { Uploads = [] } = await attempt(at, () => client.listMultipartUploads(below));
      for (const { Key, UploadId, Initiated } of Uploads) {
        if (!Initiated || Initiated.getTime() >= begunBefore) continue;
        const abandoned = { Bucket: at.bucket, Key, UploadId };
        await attempt(at, () => client.abortMultipartUpload(abandoned));
      }
    },
    async *list(at) {
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

async function headObject(
  { client, attempt }: S3Connection,
  at: ObjectAddress,
  signal?: AbortSignal,
) {
  const ask = (options: object) => client.headObject(bucketAndKey(at), options).catch(orUndefined);
  const answer = await attempt(at, ask, signal);
  return answer && factsOf(answer);
}

async function putObject(
  s3: S3Connection,
  at: ObjectAddress,
  bytes: Uint8Array,
  { replaces, type = 'application/octet-stream', metadata, signal }: ConditionalWrite = {},
) {
  const mark = randomUUID();
  const isFree = replaces === undefined;
  const request = {
    ...bucketAndKey(at),
    Body: bytes,
    ContentType: type,
    Metadata: { ...metadata, [writeMark]: mark },
    ...(replaces === null ? { IfNoneMatch: '*' } : { IfMatch: replaces }),
  };
  const ask = (options: object) =>
    retry(
      async (attempts) => {
        try {
          const { ETag: etag = '' } = await s3.client.putObject(request, options);
          return { written: { etag } };
        } catch (error) {
          if (isFree) throw error;
          if (httpStatusOf(error) === 501) throw unconditional(at);
          if (!isUnmet(error)) throw error;
          return { wasRepeated: attempts > 1 || attemptsMade(error) > 1 };
        }
      },
      {
        canRetry: (error) => !isFree && httpStatusOf(error) === 409,
        waitMs: (attempts) => 100 * attempts,
        untilMs: conflictMs,
        signal,
      },
    );
  const { written, wasRepeated } = await s3.attempt(at, ask, signal);
  if (written || !wasRepeated) return written;
  // An earlier attempt may have written the object, which made the last one fail.
  const there = await headObject(s3, at, signal);
  return there?.metadata[writeMark] === mark ? { etag: there.etag } : undefined;
}

async function getObject(s3: S3Connection, at: ObjectAddress, signal?: AbortSignal) {
  const askWhole = (options: object) =>
    s3.client.getObject(bucketAndKey(at), options).catch((error) => {
      if (nameOf(error) === 'NoSuchBucket') throw error;
      return orUndefined(error);
    });
  const whole = await s3.attempt(at, askWhole, signal);
  if (!whole) return undefined;
  return { facts: factsOf(whole), bytes: bytesOf(s3, at, whole, signal) };
}

/** The SDK retries requests, but does not continue a body that was cut. */
async function* bytesOf(
  { client, asStoreError }: S3Connection,
  at: ObjectAddress,
  whole: GetObjectCommandOutput,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  const { size, etag } = factsOf(whole);
  const options = signal ? { abortSignal: signal } : {};
  const bodyFrom = async (offset: number) => {
    const request = { ...bucketAndKey(at), Range: `bytes=${offset}-`, IfMatch: etag };
    const rest = await client.getObject(request, options);
    if (!rest.ContentRange?.startsWith(`bytes ${offset}-`)) throw cutShort();
    return rest.Body;
  };
  let body = whole.Body;
  let received = 0;
  for (let cuts = 0; ; ) {
    try {
      body ??= await bodyFrom(received);
      for await (const chunk of body as AsyncIterable<Uint8Array>) {
        received += chunk.length;
        cuts = 0;
        yield chunk;
      }
      if (received === size) return;
      throw cutShort();
    } catch (error) {
      signal?.throwIfAborted();
      cuts += 1;
      if (cuts > mostCuts || !isCut(error)) throw asStoreError(at, error);
      body = undefined;
      await systemClock.sleep(200 * cuts, signal);
    }
  }
}

function bucketAndKey({ bucket, key }: ObjectAddress) {
  return { Bucket: bucket, Key: key };
}

function factsOf({ ContentLength, ETag, Metadata }: HeadObjectCommandOutput): ObjectFacts {
  return {
    size: ContentLength ?? 0,
    etag: ETag ?? '',
    metadata: Metadata ?? {},
  };
}

function orUndefined(error: unknown) {
  if (httpStatusOf(error) !== 404) throw error;
}

function isUnmet(error: unknown) {
  return httpStatusOf(error) === 412 || nameOf(error) === 'NoSuchKey';
}

function cutShort() {
  return Object.assign(new Error('the object arrived incomplete'), { code: 'ECONNRESET' });
}

/** Error responses are not cuts, and the SDK has already retried them. */
function isCut(error: unknown) {
  const { code, name, message } = error as NodeJS.ErrnoException;
  return code === 'ECONNRESET' || name === 'TimeoutError' || message === 'aborted';
}

function unconditional({ bucket }: ObjectAddress) {
  return new DossierError(
    'STORE_UNCONDITIONAL',
    `the object store of ${showObjectAddress({ bucket, key: '' })} ignores conditions on writes, so two processes could overwrite each other's work`,
  );
}

const otherEtag = '"0123456789abcdef0123456789abcdef"';

/** If a store ignored conditions on writes, every process would get the lock. */
export async function requireConditions(
  store: ObjectStore,
  standing: ObjectAddress,
  bytes: Uint8Array,
): Promise<void> {
  for (const replaces of [null, otherEtag]) {
    if (await store.put(standing, bytes, { replaces })) throw unconditional(standing);
  }
}

export async function tryConditions(store: ObjectStore, near: ObjectAddress): Promise<void> {
  const testObject = { ...near, key: `${near.key}.probe-${randomUUID()}` };
  const bytes = Buffer.from(
    'Dossier wrote this to test whether the store obeys conditions on writes.\n',
  );
  try {
    await store.put(testObject, bytes, { replaces: null });
    await requireConditions(store, testObject, bytes);
  } finally {
    await store.remove(testObject);
  }
}

/** Reuses buffers, because garbage collection would free unused ones too late. */
async function* readParts(path: string) {
  await using file = await open(path);
  const { size } = await file.stat();
  // S3 allows 10,000 parts, so files above 80 GB need larger ones.
  const needed = Math.ceil(size / mostParts / mebibyte) * mebibyte;
  const partBytes = Math.max(usualPartBytes, needed);
  const spare: Buffer[] = [];
  for (let start = 0; start < size; start += partBytes) {
    const room = spare.pop() ?? Buffer.allocUnsafe(Math.min(partBytes, size));
    const length = Math.min(room.length, size - start);
    const { bytesRead } = await file.read(room, 0, length, start);
    if (bytesRead < length) throw new Error('a file changed while it was being uploaded');
    const release = () => void spare.push(room);
    yield { number: 1 + start / partBytes, bytes: room.subarray(0, length), release };
  }
}

/** Not `Upload` of @aws-sdk/lib-storage, which leaves parts behind if it is aborted or fails. */
async function prepareParts(
  s3: S3Connection,
  at: ObjectAddress,
  path: string,
  { type = 'application/octet-stream', metadata, signal }: WriteOptions,
) {
  const { client, attempt } = s3;
  const mark = randomUUID();
  const place = bucketAndKey(at);
  const Metadata = { ...metadata, [writeMark]: mark };
  // Ignores the signal: without the response, the upload could not be removed.
  const { UploadId } = await attempt(at, () =>
    client.createMultipartUpload({ ...place, ContentType: type, Metadata }),
  );
  const upload = { ...place, UploadId };
  const abort = async () => {
    await client.abortMultipartUpload(upload).catch(() => {});
  };
  const orAbort = async <Result>(step: () => Promise<Result>): Promise<Result> => {
    try {
      return await step();
    } catch (error) {
      await abort();
      throw error;
    }
  };
  const Parts = await orAbort(() => sendParts(s3, at, upload, path, signal));
  const complete = async () => {
    try {
      await client.completeMultipartUpload({ ...upload, MultipartUpload: { Parts } });
    } catch (error) {
      if (nameOf(error) !== 'NoSuchUpload') throw error;
      // An earlier attempt may have succeeded, with its response lost.
      if ((await headObject(s3, at))?.metadata[writeMark] !== mark) throw error;
    }
  };
  return { commit: () => orAbort(() => attempt(at, complete)), abort };
}

async function sendParts(
  { client, attempt }: S3Connection,
  at: ObjectAddress,
  upload: ReturnType<typeof bucketAndKey> & { UploadId: string | undefined },
  path: string,
  signal: AbortSignal | undefined,
) {
  const sent: { readonly PartNumber: number; readonly ETag: string | undefined }[] = [];
  const failed = new AbortController();
  const abortSignal = signal ? AbortSignal.any([signal, failed.signal]) : failed.signal;
  const parts = readParts(path);
  const sendAll = async () => {
    for await (const { number: PartNumber, bytes: Body, release } of parts) {
      const ask = (options: object) => client.uploadPart({ ...upload, PartNumber, Body }, options);
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
  return sent.sort((a, b) => a.PartNumber - b.PartNumber);
}
