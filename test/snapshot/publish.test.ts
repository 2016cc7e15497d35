import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createLedger } from '../../src/ledger/care/create-ledger.ts';
import { openObjectStore } from '../../src/objects/open-object-store.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { holdLease } from '../../src/snapshot/hold-lease.ts';
import { publishSnapshot } from '../../src/snapshot/publish.ts';
import { readSnapshots } from '../../src/snapshot/read-state.ts';
import { takeLease } from '../../src/snapshot/take-lease.ts';
import { nextRequests, startObjectStore } from '../support/object-store.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

async function openPlace() {
  const server = await startObjectStore();
  const store = await openObjectStore({ ...server.env, AWS_MAX_ATTEMPTS: '1' });
  const folder = temporaryFolder();
  const ledger = join(folder.path, 'ledger.db');
  createLedger(ledger);
  const at = { bucket: server.bucket, key: 'ledger.db.zst' };
  const clock = systemClock;
  const { signal } = new AbortController();
  const taken = await takeLease(store, { at, job: 'leads', lengthMs: 60_000, clock, signal });
  const lease = holdLease(taken, { store, at, clock });
  const parts = { store, at, ledger, clock, listener: {} };
  return {
    server,
    publish: (stopping?: AbortSignal) => publishSnapshot(lease, parts, stopping),
    /** What is in the store when the lease was given back. */
    async look() {
      await lease.release();
      return await readSnapshots(store, at, undefined);
    },
    async [Symbol.asyncDispose]() {
      lease.stop();
      await store[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

test('a snapshot that counts though the reply was lost is the one before the next', async () => {
  await using place = await openPlace();
  let isStored = false;
  const isLease = ({ method, key }: { method: string; key: string }) => {
    isStored ||= key.includes('.g1-');
    return isStored && method === 'PUT' && key.endsWith('.lease');
  };
  place.server.misbehave = nextRequests(1, { cut: 'answer' }, isLease);
  await expect(place.publish()).rejects.toMatchObject({ code: 'STORE_DOWN' });
  expect(await place.publish()).toBe(true);
  expect(await place.look()).toMatchObject({
    ...{ stored: { generation: 2 }, previous: expect.stringContaining('.g1-'), asides: [] },
  });
});

test('a snapshot that is given up leaves nothing behind', async () => {
  await using place = await openPlace();
  const stopping = new AbortController();
  place.server.misbehave = ({ method, key }) => {
    if (method === 'HEAD' && key.includes('.g1-'))
      stopping.abort(new Error('the last one is next'));
    return undefined;
  };
  await expect(place.publish(stopping.signal)).rejects.toThrow('the last one is next');
  expect(await place.publish()).toBe(true);
  expect(await place.look()).toMatchObject({ stored: { generation: 1 }, asides: [] });
});
