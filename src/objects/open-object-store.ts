import { randomUUID } from 'node:crypto';
import type {
  HeadObjectCommandOutput,
  ListMultipartUploadsCommandInput,
  ListMultipartUploadsOutput,
} from '@aws-sdk/client-s3';
import { DossierError } from '../errors.ts';
import { systemClock } from '../runtime/clock.ts';
import { retry } from '../runtime/retry.ts';
import { type ObjectAddress, showObjectAddress } from './object-address.ts';
import {
  cutParts,
  type ObjectSource,
  partBytesFor,
  prepareParts,
  type WriteOptions,
  writeMark,
} from './prepare-parts.ts';
import { connectS3, type Patience, usualPatience } from './s3-client.ts';
import { attempt, attemptsOf, nameOf, statusOf, storeTrouble } from './store-trouble.ts';

/**
 * Object storage that speaks the interface of S3. Requests are repeated where that may help; what fails
 * all the same is a `DossierError` that names the address and holds no credentials.
 */
export type ObjectStore = Awaited<ReturnType<typeof openObjectStore>>;

export type PreparedObject = Awaited<ReturnType<ObjectStore['prepare']>>;

/** Writes only if nothing is there, or if what is there is still this. */
export type PutCondition = { readonly ifAbsent: true } | { readonly ifEtag: string };

/** Connections that may be cut in a row without a byte between them. */
const mostCuts = 5;
/** Objects up to this size wait in memory for their one request. */
const mostHeldBytes = 1_024 * 1_024;
/** S3 asks to repeat a conditional write that met another at the same moment. */
const conflictMs = 1_500;

/**
 * Opens the store that the environment names: S3, or another at AWS_ENDPOINT_URL. Credentials are those
 * that the SDK finds: of the environment, a profile, or the role of a machine or pod. Nothing is asked yet.
 */
export async function openObjectStore(
  env: NodeJS.ProcessEnv = process.env,
  patience: Patience = usualPatience,
) {
  const store = await connectS3(env, patience);
  const { sdk, client } = store;
  const placeOf = ({ bucket, key }: ObjectAddress) => ({ Bucket: bucket, Key: key });

  /** Undefined where there is no such object, or no such bucket: a store does not tell these apart here. */
  const head = async (at: ObjectAddress, signal?: AbortSignal) => {
    const command = new sdk.HeadObjectCommand(placeOf(at));
    const ask = (options: object) => client.send(command, options).catch(orUndefined);
    const answer = await attempt(store, at, ask, signal);
    return answer && factsOf(answer);
  };

  /** Writes a small object in one request; undefined where the condition does not hold. */
  const put = async (
    at: ObjectAddress,
    bytes: Uint8Array,
    {
      condition,
      type = 'application/octet-stream',
      metadata,
      signal,
    }: WriteOptions & { readonly condition?: PutCondition | undefined } = {},
  ) => {
    const mark = randomUUID();
    const command = new sdk.PutObjectCommand({
      ...placeOf(at),
      Body: bytes,
      ContentType: type,
      Metadata: { ...metadata, [writeMark]: mark },
      ...(condition &&
        ('ifAbsent' in condition ? { IfNoneMatch: '*' } : { IfMatch: condition.ifEtag })),
    });
    const ask = (options: object) =>
      retry(
        async (attempts) => {
          try {
            return { etag: (await client.send(command, options)).ETag ?? '' };
          } catch (error) {
            if (condition && statusOf(error) === 501) throw unconditional(at);
            if (!condition || !isUnmet(error)) throw error;
            return attemptsOf(error) + attempts - 1;
          }
        },
        {
          canRetry: (error) => condition !== undefined && statusOf(error) === 409,
          waitMs: (attempts) => 100 * attempts,
          untilMs: conflictMs,
          signal,
        },
      );
    const answer = await attempt(store, at, ask, signal);
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
      client.send(new sdk.GetObjectCommand({ ...placeOf(at), ...rest }), options);
    const askWhole = () =>
      ask({}).catch((error) => {
        if (nameOf(error) === 'NoSuchBucket') throw error;
        return orUndefined(error);
      });
    const first = await attempt(store, at, askWhole, signal);
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
          if (cuts > mostCuts || !isCut(error)) throw storeTrouble(store, at, error);
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
    /** Brings an object of any size to the store without showing it: what is there stays until `commit`. */
    async prepare(at: ObjectAddress, source: ObjectSource, options: WriteOptions = {}) {
      if (source.size > mostHeldBytes) {
        const parts = cutParts(source, partBytesFor(source.size));
        return await prepareParts(store, at, parts, options, head);
      }
      const [whole] = await Array.fromAsync(cutParts(source, source.size));
      const { signal: _, ...lasting } = options;
      return {
        commit: async () => void (await put(at, whole?.bytes ?? new Uint8Array(), lasting)),
        abort: async () => {},
      };
    },
    /** It is no error where there is none. */
    async remove(at: ObjectAddress): Promise<void> {
      await attempt(store, at, () => client.send(new sdk.DeleteObjectCommand(placeOf(at))));
    },
    /** Removes parts, below the address, of uploads that began before a time: their processes were killed. */
    async removeParts(at: ObjectAddress, begunBefore: number): Promise<void> {
      let next: ListMultipartUploadsCommandInput | undefined = {
        Bucket: at.bucket,
        Prefix: at.key,
      };
      while (next) {
        const list = new sdk.ListMultipartUploadsCommand(next);
        const answer: ListMultipartUploadsOutput = await attempt(store, at, () =>
          client.send(list),
        );
        for (const { Key, UploadId, Initiated } of answer.Uploads ?? []) {
          if (!Initiated || Initiated.getTime() >= begunBefore) continue;
          const abort = new sdk.AbortMultipartUploadCommand({ Bucket: at.bucket, Key, UploadId });
          await attempt(store, at, () => client.send(abort));
        }
        const {
          IsTruncated,
          NextKeyMarker: KeyMarker,
          NextUploadIdMarker: UploadIdMarker,
        } = answer;
        next = IsTruncated && KeyMarker ? { ...next, KeyMarker, UploadIdMarker } : undefined;
      }
    },
    /** The objects whose keys begin with that of the address, in the order of their keys. */
    async *list(at: ObjectAddress) {
      let token: string | undefined;
      do {
        const command = new sdk.ListObjectsV2Command({
          Bucket: at.bucket,
          Prefix: at.key,
          ContinuationToken: token,
        });
        const answer = await attempt(store, at, () => client.send(command));
        for (const { Key } of answer.Contents ?? []) if (Key !== undefined) yield { key: Key };
        token = answer.NextContinuationToken;
      } while (token !== undefined);
    },
    [Symbol.asyncDispose]: async () => client.destroy(),
  };
}

/** `etag` changes with the content; `metadata` is what the writer has noted, by names in small letters. */
function factsOf({
  ContentLength,
  ETag,
  LastModified,
  Metadata,
}: Pick<HeadObjectCommandOutput, 'ContentLength' | 'ETag' | 'LastModified' | 'Metadata'>) {
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
  for (const condition of [{ ifAbsent: true }, { ifEtag: otherEtag }] as const) {
    if (await store.put(standing, bytes, { condition })) throw unconditional(standing);
  }
}

/** The same before there is an object, by one beside the address that is removed again. */
export async function tryConditions(store: ObjectStore, near: ObjectAddress): Promise<void> {
  const probe = { ...near, key: `${near.key}.probe-${randomUUID()}` };
  const bytes = Buffer.from('A test by Dossier whether this store heeds conditions.\n');
  try {
    await store.put(probe, bytes, { condition: { ifAbsent: true } });
    await requireConditions(store, probe, bytes);
  } finally {
    await store.remove(probe);
  }
}
