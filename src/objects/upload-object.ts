import { cutParts, partBytesFor } from './cut-parts.ts';
import type {
  ObjectAddress,
  ObjectSource,
  PreparedObject,
  PutOptions,
  WriteOptions,
} from './object-store.ts';
import { prepareParts } from './prepare-parts.ts';
import { putObject } from './put-object.ts';
import type { S3Connection } from './s3-client.ts';

/** Writes an object of any size; a small one in one request instead of three. */
export async function uploadObject(
  store: S3Connection,
  at: ObjectAddress,
  source: ObjectSource,
  options: WriteOptions,
): Promise<{ readonly etag: string }> {
  if (source.size <= partBytesFor(source.size)) {
    return await putWhole(store, at, await readWhole(source), options);
  }
  const parts = cutParts(source, partBytesFor(source.size));
  return await (await prepareParts(store, at, parts, options)).commit();
}

/** Objects up to this size wait in memory for their one request. */
const mostHeldBytes = 1_024 * 1_024;

/** Brings an object to the store, to be shown later. */
export async function prepareObject(
  store: S3Connection,
  at: ObjectAddress,
  source: ObjectSource,
  options: WriteOptions,
): Promise<PreparedObject> {
  if (source.size > mostHeldBytes) {
    const parts = cutParts(source, partBytesFor(source.size));
    return await prepareParts(store, at, parts, options);
  }
  const bytes = await readWhole(source);
  const { signal: _, ...lasting } = options;
  return { commit: () => putWhole(store, at, bytes, lasting), abort: async () => {} };
}

async function readWhole(source: ObjectSource): Promise<Uint8Array> {
  const [whole] = await Array.fromAsync(cutParts(source, source.size));
  return whole?.bytes ?? new Uint8Array();
}

async function putWhole(
  store: S3Connection,
  at: ObjectAddress,
  bytes: Uint8Array,
  options: Omit<PutOptions, 'condition'>,
): Promise<{ readonly etag: string }> {
  const written = await putObject(store, at, bytes, options);
  if (!written) throw new Error('an object without a condition was not written');
  return written;
}
