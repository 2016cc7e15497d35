import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { gunzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { measureLedger } from '../../../src/engine/ledger/care/examine-ledger.ts';
import { mergeLedger } from '../../../src/engine/ledger/care/merge-ledger.ts';
import { openLedger, openLedgerToRead } from '../../../src/engine/ledger/open-ledger.ts';
import { readControl, writeControl } from '../../../src/integrations/snapshot/lease.ts';
import { type KeeperOptions, openKeeper } from '../../../src/integrations/snapshot/open-keeper.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import type { ObjectAddress } from '../../../src/platform/objects/object-address.ts';
import { answer } from '../../engine/ledger/care/care-ledger.ts';
import {
  accessDenied,
  nextRequests,
  slowDown,
  startSharedStore,
} from '../../support/object-store.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Waits a fiftieth of the time between two attempts. */
const hasty = { ...systemClock, sleep: (ms: number) => systemClock.sleep(ms / 50) };

const { service: server, store } = await startSharedStore({ AWS_MAX_ATTEMPTS: '1' });
const olderLedger = '../../faults/ledgers/0.9.0.db.gz';
let addresses = 0;
const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

function asidesOf(ledger: string): string[] {
  const names = readdirSync(dirname(ledger)).filter((name) => name.includes('.replaced-'));
  return names.map((name) => join(dirname(ledger), name));
}

/** A place in the store that no other test uses, and pods with a disk of their own. */
function createPlace() {
  addresses += 1;
  const at: ObjectAddress = { bucket: server.bucket, key: `place-${addresses}/ledger.db.zst` };
  const all = () => Array.fromAsync(store.list({ ...at, key: `place-${addresses}/` }));
  const pod = (name: string) => {
    const ledger = join(folder.path, `${addresses}-${name}`, 'ledger.db');
    const keep = (changes: Partial<KeeperOptions> = {}) =>
      openKeeper({
        store,
        at,
        ledger,
        everyMs: 3_600_000,
        mustExist: false,
        job: name,
        ...{
          leaseMs: 60_000,
          lastCopyMs: 0,
          clock: systemClock,
          signal: new AbortController().signal,
        },
        listener: {},
        ...changes,
      });
    /** Pays for answers about these companies. */
    const pay = (numbers: readonly number[]) => {
      using opened = openLedger(ledger);
      answer(opened, numbers);
    };
    const run = async (numbers: readonly number[]) => {
      const keeper = await keep();
      pay(numbers);
      expect(await keeper.end()).toBeUndefined();
    };
    return { ledger, keep, pay, run, answers: () => measureLedger(ledger).answers };
  };
  return {
    at,
    pod,
    all,
    /** As when the process that had the lease is gone for long. */
    async forgetHolder() {
      const { control, etag } = await readControl(store, at);
      await writeControl(store, at, { ...control, holder: null }, etag);
    },
    /** The state of the place, to be put back. */
    async save() {
      const saved: [ObjectAddress, Uint8Array][] = [];
      for (const { key } of await all()) {
        const found = await store.get({ ...at, key });
        saved.push([{ ...at, key }, Buffer.concat(await Array.fromAsync(found?.bytes ?? []))]);
      }
      return async () => {
        for (const { key } of await all()) await store.remove({ ...at, key });
        for (const [address, bytes] of saved) await store.put(address, bytes);
      };
    },
  };
}

test('a bucket that was put back makes a restore rename the ledger of a disk, whose answers can be merged', async () => {
  const place = createPlace();
  const first = place.pod('first');
  await first.run([1, 2]);
  const putBack = await place.save();
  await first.run([3, 4, 5]);
  await putBack();
  const second = place.pod('second');
  await second.run([6]);
  await second.run([7]);
  expect(second.answers()).toBe(4);

  // The first has answers that the bucket lacks: its ledger is never overwritten.
  const restored: (string | undefined)[] = [];
  const listener = {
    onRestored: (_: unknown, facts: { replaced?: string | undefined }) =>
      void restored.push(facts.replaced),
  };
  const keeper = await first.keep({ listener });
  expect(first.answers()).toBe(4);
  const [renamed = ''] = asidesOf(first.ledger);
  expect(restored).toEqual([renamed]);
  expect(mergeLedger(first.ledger, renamed)).toMatchObject({ taken: 3, known: 2 });
  expect(await keeper.end()).toBeUndefined();
  await second.run([]);
  expect(second.answers()).toBe(7);
});

test('answers are stored at an interval, also after intervals in which there were none', async () => {
  const place = createPlace();
  const pod = place.pod('pod');
  const keeper = await pod.keep({ everyMs: 20 });
  pod.pay([]);
  await delay(100);
  pod.pay([1]);
  const stored = async () => (await readControl(store, place.at)).control.snapshot?.answers;
  await expect.poll(stored).toBe(1);
  expect(await keeper.end()).toBeUndefined();
});

test('a last copy that fails is retried while there is time, and then it is said what is lost', async () => {
  const place = createPlace();
  const pod = place.pod('pod');
  const stopping = new AbortController();
  const { signal } = stopping;
  const keeper = await pod.keep({ lastCopyMs: 20_000, signal, clock: hasty });
  pod.pay([1, 2]);
  stopping.abort();
  const isCopy = ({ key }: { key: string }) => /\.copy-/.test(key);
  let failures = 3;
  server.misbehave = (seen) => {
    failures -= isCopy(seen) ? 1 : 0;
    return isCopy(seen) && failures >= 0 ? slowDown : undefined;
  };
  expect(await keeper.end()).toBeUndefined();
  expect((await readControl(store, place.at)).control.snapshot?.answers).toBe(2);

  const dying = await pod.keep({ lastCopyMs: 500, clock: hasty });
  pod.pay([3]);
  let tries = 0;
  server.misbehave = (seen) => {
    tries += isCopy(seen) ? 1 : 0;
    return isCopy(seen) ? slowDown : undefined;
  };
  expect(await dying.end()).toMatchObject({
    code: 'STORE_DOWN',
    message: expect.stringMatching(/1 call since the last snapshot are only in .* they are lost$/),
  });
  expect(tries).toBeGreaterThan(1);
  server.misbehave = () => undefined;
}, 60_000);

test('a foreign copy in the store stops the run, and the ledger stays on its disk', async () => {
  const place = createPlace();
  const pod = place.pod('pod');
  await pod.run([1]);
  const keeper = await pod.keep({ everyMs: 100 });
  const { control, etag } = await readControl(store, place.at);
  const snapshot = { ...(control.snapshot ?? expect.fail()), key: `${place.at.key}.copy-2` };
  await writeControl(store, place.at, { ...control, snapshot }, etag);
  pod.pay([2]);
  while (!keeper.lost.aborted) await delay(20);
  expect(keeper.lost.reason).toMatchObject({
    code: 'SNAPSHOT_UNSTORED',
    message: expect.stringContaining('.copy-2'),
  });
  expect(await keeper.end()).toMatchObject({
    code: 'SNAPSHOT_UNSTORED',
    message: expect.stringContaining('The answers to 1 call since the last snapshot are only in'),
  });
  expect(pod.answers()).toBe(2);
});

test('one copy before the newest is kept, and one whose upload failed is removed', async () => {
  const place = createPlace();
  const pod = place.pod('pod');
  expect(await (await pod.keep()).end()).toBeUndefined();
  // Without a ledger there is no copy to remove later.
  expect((await readControl(store, place.at)).control.others).toEqual([]);
  const keeper = await pod.keep({ everyMs: 50 });
  let uploads = 0;
  server.misbehave = ({ method, key }) => {
    if (method !== 'PUT' || !key.includes('.copy-')) return undefined;
    uploads += 1;
    return uploads === 1 ? { cut: 'answer' } : undefined;
  };
  pod.pay([1]);
  while (uploads === 0) await delay(10);
  expect(await keeper.end()).toBeUndefined();
  server.misbehave = () => undefined;
  for (const number of [2, 3, 4]) await pod.run([number]);
  expect((await place.all()).map(({ key }) => key.replace(/.*zst\.|\d.*/g, ''))).toEqual([
    'copy-',
    'copy-',
    'lease',
  ]);
});

test('a stored copy that is cut short, empty, spoilt, gone or none at all is refused', async () => {
  const place = createPlace();
  const pod = place.pod('pod');
  await pod.run([1]);
  const key = (await place.all())[0]?.key ?? '';
  const found = await store.get({ ...place.at, key });
  const whole = Buffer.concat(await Array.fromAsync(found?.bytes ?? []));
  const spoilt = Buffer.from(whole);
  spoilt.writeUInt8(255 - spoilt.readUInt8(whole.length >> 1), whole.length >> 1);
  const wrong = { cut: whole.subarray(0, whole.length / 2), spoilt, none: Buffer.from('<html>') };
  for (const [name, bytes] of Object.entries({ ...wrong, empty: Buffer.alloc(0) })) {
    await store.put({ ...place.at, key }, bytes);
    await expect(place.pod(name).keep()).rejects.toMatchObject({ code: 'SNAPSHOT_DAMAGED' });
  }
  await store.remove({ ...place.at, key });
  await expect(place.pod('gone').keep()).rejects.toMatchObject({ code: 'SNAPSHOT_DAMAGED' });
});

test('a restored ledger is the same one, unless a process died after its copy and may have delivered runs', async () => {
  const place = createPlace();
  const idOf = (ledger: string) => {
    using opened = openLedgerToRead(ledger);
    return opened?.id;
  };
  const first = place.pod('first');
  await first.run([1]);
  const id = idOf(first.ledger);
  const second = place.pod('second');
  await second.run([2]);
  expect(idOf(second.ledger)).toBe(id);

  // This one dies with a lease that nobody renews.
  const clock = { ...systemClock };
  const dying = await place.pod('third').keep({ leaseMs: 2_000, clock });
  clock.monotonicMs = () => Number.POSITIVE_INFINITY;
  dying.check();

  // A restore that fails keeps the doubt.
  const isCopy = ({ method, key }: { method: string; key: string }) =>
    method === 'GET' && key.includes('.copy-');
  server.misbehave = nextRequests(1, accessDenied, isCopy);
  await expect(place.pod('fourth').keep()).rejects.toThrow();
  server.misbehave = () => undefined;
  const fifth = place.pod('fifth');
  await fifth.run([3]);
  expect(idOf(fifth.ledger)).not.toBe(id);
  const sixth = place.pod('sixth');
  await sixth.run([4]);
  expect(idOf(sixth.ledger)).toBe(idOf(fifth.ledger));
});

test('a snapshot of an older version is restored, and upgraded where it is restored', async () => {
  const place = createPlace();
  await place.pod('first').run([1]);
  const { control } = await readControl(store, place.at);
  const older = gunzipSync(readFileSync(join(import.meta.dirname, olderLedger)));
  const key = control.snapshot?.key ?? expect.unreachable();
  await store.put({ ...place.at, key }, zstdCompressSync(older));
  const second = place.pod('second');
  await second.run([2]);
  expect(second.answers()).toBe(87);
});
