import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { DossierError } from '../errors.ts';
import { headObject } from './head-object.ts';
import { showObjectAddress } from './object-address.ts';
import type { ObjectAddress, PutOptions } from './object-store.ts';
import type { S3Connection } from './s3-client.ts';
import { attempt, attemptsOf, nameOf, statusOf } from './store-trouble.ts';

/** The metadata by which a writer knows its own object, where the answer to its request was lost. */
export const writeMark = 'dossier-write';

const mostConflicts = 5;
const pauseMs = 100;

/** Writes an object in one request; undefined where the condition does not hold. */
export async function putObject(
  store: S3Connection,
  at: ObjectAddress,
  bytes: Uint8Array,
  { condition, type, metadata, signal }: PutOptions,
): Promise<{ readonly etag: string } | undefined> {
  const { sdk, client } = store;
  const mark = randomUUID();
  const command = new sdk.PutObjectCommand({
    Bucket: at.bucket,
    Key: at.key,
    Body: bytes,
    ContentType: type ?? 'application/octet-stream',
    Metadata: { ...metadata, [writeMark]: mark },
    ...(condition &&
      ('ifAbsent' in condition ? { IfNoneMatch: '*' } : { IfMatch: condition.ifEtag })),
  });
  const ask = async (options: { abortSignal?: AbortSignal }) => {
    for (let conflicts = 0; ; conflicts += 1) {
      try {
        return await client.send(command, options);
      } catch (error) {
        if (condition === undefined) throw error;
        if (isUnmet(error)) return attemptsOf(error) + conflicts;
        if (statusOf(error) === 501) throw unconditional(at);
        // S3 asks to repeat a conditional write that met another at the same moment.
        if (statusOf(error) !== 409 || conflicts >= mostConflicts) throw error;
        await delay(pauseMs * (conflicts + 1), undefined, { signal });
      }
    }
  };
  const answer = await attempt(store, at, ask, signal);
  if (typeof answer === 'object') return { etag: answer.ETag ?? '' };
  if (answer === 1) return undefined;
  // An earlier attempt may have written the object that now stands in the way of the last.
  const there = await headObject(store, at, signal);
  return there?.metadata[writeMark] === mark ? { etag: there.etag } : undefined;
}

/** S3 says that there is no such key, where an object is to be replaced that is gone. */
function isUnmet(error: unknown): boolean {
  return statusOf(error) === 412 || nameOf(error) === 'NoSuchKey';
}

export function unconditional({ bucket }: ObjectAddress): DossierError {
  return new DossierError(
    'STORE_UNCONDITIONAL',
    `the store of ${showObjectAddress({ bucket, key: '' })} writes whether or not a condition holds, so two processes could overwrite each other's work`,
  );
}
