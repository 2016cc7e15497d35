import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { DossierError } from '../../../src/core/errors.ts';
import {
  type Control,
  readControl,
  takeLease,
  writeControl,
} from '../../../src/integrations/snapshot/lease.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import type { ObjectAddress } from '../../../src/platform/objects/object-address.ts';
import { startSharedStore } from '../../support/object-store.ts';

const { service: server, store } = await startSharedStore();
let addresses = 0;

/** A place that no other test uses. */
function newPlace(): ObjectAddress {
  addresses += 1;
  return { bucket: server.bucket, key: `ledger-${addresses}.db.zst` };
}

function take(at: ObjectAddress, job: string, leaseMs = 2_000, clock = systemClock) {
  const { signal } = new AbortController();
  return takeLease({ store, at, job, leaseMs, clock, signal, listener: {} });
}

/** Changes the lease from outside. Its holder may renew it between the reading and the writing. */
async function overwrite(at: ObjectAddress, change: (known: Control) => Control): Promise<void> {
  for (;;) {
    const { control, etag } = await readControl(store, at);
    if (await writeControl(store, at, change(control), etag)) return;
  }
}

test('of several that come at once, one gets the lease', async () => {
  const at = newPlace();
  const tries = await Promise.allSettled(['a', 'b', 'c', 'd'].map((job) => take(at, job, 6_000)));
  const taken = tries.filter((one) => one.status === 'fulfilled');
  expect(taken).toHaveLength(1);
  for (const one of tries) {
    if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'JOB_BUSY' });
  }
  await taken[0]?.value.release();
});

test('a lease that is renewed is not taken, one that is given back is, and one that is left is taken when its length is over', async () => {
  const at = newPlace();
  const first = await take(at, 'first');
  await expect(take(at, 'second')).rejects.toMatchObject({ code: 'JOB_BUSY' });
  expect(first.lost.aborted).toBe(false);
  await first.release();
  const second = await take(at, 'second');
  // Nobody renews it: its process is gone.
  second.stop();
  const third = await take(at, 'third');
  expect((await readControl(store, at)).control.holder?.job).toBe('third');
  third.stop();
});

test('who was overtaken changes nothing any more, and hears that the lease is lost', async () => {
  const at = newPlace();
  const first = await take(at, 'first');
  const other = { token: 'other', job: 'other' };
  // As after a stop of the process for longer than the lease.
  await overwrite(at, ({ holder, ...known }) => {
    return { ...known, holder: { ...(holder ?? expect.fail()), ...other } };
  });
  expect(await first.change((known) => ({ ...known, others: ['mine'] }))).toBe(false);
  while (!first.lost.aborted) await delay(20);
  expect(first.lost.reason).toMatchObject({
    code: 'LEASE_LOST',
    message: expect.stringContaining('was taken over by other on'),
  });
  await first.release();
  expect((await readControl(store, at)).control).toMatchObject({ holder: other, others: [] });
});

test('a machine that wakes from sleep, which its monotonic clock does not count, asks at once', async () => {
  const at = newPlace();
  let sleptMs = 0;
  const clock = { ...systemClock, wallMs: () => Date.now() + sleptMs };
  const first = await take(at, 'first', 600_000, clock);
  await overwrite(at, (known) => ({ ...known, holder: null }));
  first.check();
  expect(first.lost.aborted).toBe(false);
  sleptMs = 3_600_000;
  first.check();
  while (!first.lost.aborted) await delay(20);
  expect(first.lost.reason.message).toContain('was released elsewhere');
});

test('a store that is away for longer than the lease loses it, by the clock of this process alone', async () => {
  const at = newPlace();
  const first = await take(at, 'first', 600);
  server.misbehave = () => ({ hangs: true });
  while (!first.lost.aborted) await delay(20);
  server.misbehave = () => undefined;
  expect(first.lost.reason).toBeInstanceOf(DossierError);
  expect(first.lost.reason.message).toContain('could not be renewed for 600ms');
  // Nobody has taken it meanwhile, so its answers may still be stored where they count.
  expect(await first.change((control) => control)).toBe(true);
  first.stop();
});
