import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openPermits, type Permits } from '../../../src/client/rate/permits.ts';
import type { SharedPlaces } from '../../../src/client/rate/shared-places.ts';
import { openSharedWindow } from '../../../src/client/rate/shared-window.ts';
import { openSharedRate } from '../../../src/ledger/file/shared-rate.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
import { openFakeClock } from '../../support/fake-clock.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const noAbort = new AbortController().signal;
const noTrouble = (error: Error) => expect.unreachable(error.message);

interface Sender extends Disposable {
  readonly permits: Permits;
}

/** A process as the others see it: what it has in memory is its own. */
function openSender(
  ledger: string,
  rate: number,
  { key = 'k', onTrouble = noTrouble }: { key?: string; onTrouble?: (error: Error) => void } = {},
): Sender {
  const shared = openSharedRate(ledger, { service: 'https://service.test', key }, onTrouble);
  const permits = openPermits(rate, systemClock, { shared });
  return { permits, [Symbol.dispose]: () => permits[Symbol.dispose]() };
}

/** Starts as many requests as the permits allow and gives when, by the monotonic clock. */
function startMany({ permits }: Sender, count: number): Promise<number[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const permit = await permits.take(noAbort);
      permit.start();
      return performance.now();
    }),
  );
}

function mostInAnySecond(starts: readonly number[]): number {
  const within = (from: number) => starts.filter((at) => at >= from && at < from + 1_000).length;
  return Math.max(...starts.map(within));
}

test('processes on one ledger keep the rate together, and one after another', async () => {
  using folder = temporaryFolder();
  const ledger = join(folder.path, 'ledger.db');
  const starts: number[] = [];
  {
    using first = openSender(ledger, 20);
    using second = openSender(ledger, 20);
    const both = await Promise.all([startMany(first, 20), startMany(second, 20)]);
    starts.push(...both.flat());
    await systemClock.sleep(0);
  }
  using next = openSender(ledger, 20);
  starts.push(...(await startMany(next, 5)));
  expect(starts).toHaveLength(45);
  expect(mostInAnySecond(starts)).toBeLessThanOrEqual(20);
});

test('another key has a rate of its own, and a permit that is given back is used by others', async () => {
  using folder = temporaryFolder();
  const ledger = join(folder.path, 'ledger.db');
  using first = openSender(ledger, 0.1);
  using second = openSender(ledger, 0.1);
  using other = openSender(ledger, 0.1, { key: 'another' });
  (await first.permits.take(noAbort)).release();
  // At one request in ten seconds, each of these would wait longer than a test may take.
  await startMany(second, 1);
  await startMany(other, 1);
});

test('a process that cannot share keeps the rate alone, and says so', async () => {
  using folder = temporaryFolder();
  const ledger = join(folder.path, 'ledger.db');
  writeFileSync(`${ledger}-rate`, 'no database at all '.repeat(100));
  const troubles: string[] = [];
  using sender = openSender(ledger, 1_000, { onTrouble: ({ message }) => troubles.push(message) });
  expect(await startMany(sender, 3)).toHaveLength(3);
  expect(troubles).toEqual(['file is not a database']);
});

test('what was sent is remembered beside the ledger and needs none', async () => {
  using folder = temporaryFolder();
  const ledger = join(folder.path, 'ledger.db');
  {
    using sender = openSender(ledger, 1);
    expect(existsSync(`${ledger}-rate`)).toBe(false);
    await startMany(sender, 1);
  }
  expect([existsSync(ledger), existsSync(`${ledger}-rate`)]).toEqual([false, true]);
  rmSync(`${ledger}-rate`);
});

test('places that a process has taken ahead and not used go back to all', () => {
  const clock = openFakeClock();
  const given: number[] = [];
  let taken = 0;
  const all: Pick<SharedPlaces, 'take' | 'start' | 'release'> = {
    take: (wanted) => {
      const places = Array.from({ length: wanted }, () => ({ index: taken++, leavesBy: 0 }));
      return { places, waitMs: 0 };
    },
    start: () => {},
    release: (places) => void given.push(...places.map(({ index }) => index)),
  };
  const shared = openSharedWindow(all, () => 3, clock);
  expect(shared.msUntilRoom()).toBe(0);
  shared.reserve();
  clock.advance(500);
  expect([shared.msUntilRoom(), taken, given]).toEqual([0, 3, []]);
  // A throttle, say, has held all calls for a while: others may have taken these places since.
  clock.advance(20_000);
  expect([shared.msUntilRoom(), taken, given]).toEqual([0, 6, [1, 2]]);
});
