import type { ObjectAddress, ObjectFacts } from './object-store.ts';
import type { S3Connection } from './s3-client.ts';
import { attempt, statusOf } from './store-trouble.ts';

/** Undefined where there is no such object. */
export async function headObject(
  store: S3Connection,
  at: ObjectAddress,
  signal?: AbortSignal,
): Promise<ObjectFacts | undefined> {
  const { sdk, client } = store;
  const command = new sdk.HeadObjectCommand({ Bucket: at.bucket, Key: at.key });
  const orUndefined = (error: unknown) => {
    if (statusOf(error) === 404) return undefined;
    throw error;
  };
  const answer = await attempt(
    store,
    at,
    (options) => client.send(command, options).catch(orUndefined),
    signal,
  );
  return answer && factsOf(answer);
}

/** What the head of an answer tells. */
export function factsOf(answer: {
  readonly ContentLength?: number | undefined;
  readonly ETag?: string | undefined;
  readonly LastModified?: Date | undefined;
  readonly Metadata?: Readonly<Record<string, string>> | undefined;
}): ObjectFacts {
  return {
    size: answer.ContentLength ?? 0,
    etag: answer.ETag ?? '',
    modifiedAt: answer.LastModified?.getTime() ?? 0,
    metadata: answer.Metadata ?? {},
  };
}
