import { headObject } from './head-object.ts';
import type { ObjectAddress, ObjectStore } from './object-store.ts';
import { putObject } from './put-object.ts';
import { readObject } from './read-object.ts';
import { removeParts } from './remove-parts.ts';
import { connectS3, type Patience, type S3Connection, usualPatience } from './s3-client.ts';
import { attempt } from './store-trouble.ts';
import { prepareObject, uploadObject } from './upload-object.ts';

/**
 * Opens the store that the environment names: S3, or another at AWS_ENDPOINT_URL. Credentials are those
 * that the SDK finds: of the environment, a profile, or the role of a machine or pod. Nothing is asked yet.
 */
export async function openObjectStore(
  env: NodeJS.ProcessEnv = process.env,
  patience: Patience = usualPatience,
): Promise<ObjectStore> {
  const store = await connectS3(env, patience);
  return {
    head: (at, { signal } = {}) => headObject(store, at, signal),
    get: (at, { signal } = {}) => readObject(store, at, signal),
    put: (at, bytes, options = {}) => putObject(store, at, bytes, options),
    upload: (at, source, options = {}) => uploadObject(store, at, source, options),
    prepare: (at, source, options = {}) => prepareObject(store, at, source, options),
    remove: (at) => removeObject(store, at),
    removeParts: (at, { begunBefore }) => removeParts(store, at, begunBefore),
    list: (at) => listObjects(store, at),
    [Symbol.asyncDispose]: async () => store.client.destroy(),
  };
}

async function removeObject(store: S3Connection, at: ObjectAddress): Promise<void> {
  const { sdk, client } = store;
  const command = new sdk.DeleteObjectCommand({ Bucket: at.bucket, Key: at.key });
  await attempt(store, at, () => client.send(command));
}

async function* listObjects(store: S3Connection, at: ObjectAddress) {
  const { sdk, client } = store;
  let token: string | undefined;
  do {
    const command = new sdk.ListObjectsV2Command({
      Bucket: at.bucket,
      Prefix: at.key,
      ...(token !== undefined && { ContinuationToken: token }),
    });
    const answer = await attempt(store, at, () => client.send(command));
    for (const { Key, Size = 0 } of answer.Contents ?? []) {
      if (Key !== undefined) yield { key: Key, size: Size };
    }
    token = answer.NextContinuationToken;
  } while (token !== undefined);
}
