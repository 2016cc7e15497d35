import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { ObjectAddress } from '../../../src/platform/objects/object-address.ts';
import {
  type ObjectStore,
  openObjectStore,
  tryConditions,
} from '../../../src/platform/objects/open-object-store.ts';
import { nextRequests, startObjectStore, startSharedStore } from '../../support/object-store.ts';
import type { SeenRequest } from '../../support/objects/lacking-answers.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

async function upload(into: ObjectStore, ...what: Parameters<ObjectStore['prepare']>) {
  const prepared = await into.prepare(...what);
  await prepared.commit();
}

const { service, store } = await startSharedStore();
afterAll(() => folder[Symbol.dispose]());

const at = (key: string): ObjectAddress => ({ bucket: service.bucket, key });
const mebibyte = 1_024 * 1_024;

const folder = temporaryFolder();

/** Bytes that differ from part to part. */
function bytesOf(size: number): Buffer {
  const bytes = Buffer.alloc(size);
  for (let at = 0; at < size; at += 1_000_003) bytes.fill((at / 1_000_003) % 251, at);
  return bytes;
}

function fileOf(size: number): string {
  const path = join(folder.path, `${size}.bin`);
  writeFileSync(path, bytesOf(size));
  return path;
}

async function readAll(bytes: AsyncIterable<Uint8Array> | undefined): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(bytes ?? []));
}

const isPart = ({ query }: SeenRequest) => query.has('partNumber');

describe('an object', () => {
  test('is read as it was written, with its metadata', async () => {
    const written = await store.put(at('a/one.txt'), Buffer.from('one'), {
      metadata: { sha256: 'abc' },
    });
    const read = await store.get(at('a/one.txt'));
    expect((await readAll(read?.bytes)).toString()).toBe('one');
    expect(read?.facts).toMatchObject({
      size: 3,
      etag: written?.etag,
      metadata: { sha256: 'abc' },
    });
    expect(await store.head(at('a/one.txt'))).toEqual(read?.facts);
  });

  test('of any size is uploaded, in parts if it is large', async () => {
    for (const size of [0, 8 * mebibyte, 8 * mebibyte + 7]) {
      await upload(store, at('large'), fileOf(size), { metadata: { size: String(size) } });
      const read = await store.get(at('large'));
      expect(read?.facts).toMatchObject({ size, metadata: { size: String(size) } });
      const written = await readAll(read?.bytes);
      expect(written.equals(bytesOf(size))).toBe(true);
    }
    expect(service.requests.filter(isPart)).toHaveLength(3);
  });
});

describe('a condition', () => {
  test('keeps the second of two writers from overwriting the first', async () => {
    const key = at('once');
    const first = await store.put(key, Buffer.from('1'), { replaces: null });
    expect(await store.put(key, Buffer.from('2'), { replaces: null })).toBeUndefined();
    const replaces = first?.etag ?? '';
    expect(await store.put(key, Buffer.from('3'), { replaces })).toBeDefined();
    expect(await store.put(key, Buffer.from('4'), { replaces })).toBeUndefined();
    expect((await readAll((await store.get(key))?.bytes)).toString()).toBe('3');
  });

  test('is known to have succeeded if the answer of the store was lost', async () => {
    service.misbehave = nextRequests(1, { cut: 'answer' });
    const written = await store.put(at('unheard'), Buffer.from('1'), {
      replaces: null,
    });
    expect(written?.etag).toBe((await store.head(at('unheard')))?.etag);
  });

  test('is tested, and a store that ignores it is refused', async () => {
    await tryConditions(store, at('lease'));
    expect(await Array.fromAsync(store.list(at('lease')))).toEqual([]);
    await using careless = await startObjectStore({ heedsConditions: false });
    await using other = await openObjectStore(careless.env);
    const near = { bucket: careless.bucket, key: 'lease' };
    await expect(tryConditions(other, near)).rejects.toMatchObject({
      code: 'STORE_UNCONDITIONAL',
    });
  });
});

describe('a store in trouble', () => {
  test('that cuts its answer is read on from there', async () => {
    await upload(store, at('cut-read'), fileOf(mebibyte));
    service.requests.length = 0;
    service.misbehave = nextRequests(3, { cut: 'body' });
    const read = await readAll((await store.get(at('cut-read')))?.bytes);
    expect(read.equals(bytesOf(mebibyte))).toBe(true);
    expect(service.requests).toHaveLength(4);
  });

  test('that loses the last answer to an upload has the whole object', async () => {
    service.misbehave = nextRequests(
      1,
      { cut: 'answer' },
      ({ method, query }) => method === 'POST' && query.has('uploadId'),
    );
    await upload(store, at('last-step'), fileOf(9 * mebibyte));
    expect(await store.head(at('last-step'))).toMatchObject({ size: 9 * mebibyte });
    expect(await service.unfinishedUploads()).toEqual([]);
  });

  test('leaves no part of an upload that fails, is stopped, or whose file has changed', async () => {
    service.misbehave = nextRequests(1, { status: 400, code: 'InvalidPart' }, isPart);
    await expect(upload(store, at('half'), fileOf(9 * mebibyte))).rejects.toMatchObject({
      code: 'STORE_REFUSED',
    });
    const stop = new AbortController();
    service.misbehave = (seen) => {
      if (isPart(seen)) stop.abort(new Error('enough'));
      return undefined;
    };
    const stopped = upload(store, at('half'), fileOf(9 * mebibyte), { signal: stop.signal });
    await expect(stopped).rejects.toThrow('enough');
    const changed = fileOf(40 * mebibyte);
    service.misbehave = (seen) => {
      if (isPart(seen)) truncateSync(changed, mebibyte);
      return undefined;
    };
    await expect(upload(store, at('half'), changed)).rejects.toThrow('changed');
    expect(await service.unfinishedUploads()).toEqual([]);
    expect(await store.head(at('half'))).toBeUndefined();
  });
});
