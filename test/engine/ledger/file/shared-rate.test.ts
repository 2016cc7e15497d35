import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { probeService } from '../../../../src/engine/client/probe-service.ts';
import { openPermits } from '../../../../src/engine/client/rate/permits.ts';
import { openSharedRate } from '../../../../src/engine/ledger/file/shared-rate.ts';
import { companyData } from '../../../../src/engine/providers/company-data/company-data.ts';
import { systemClock } from '../../../../src/platform/clock.ts';
import {
  companyCall,
  noAbort,
  openTestClient,
  testKey,
} from '../../../support/client-under-test.ts';
import { openHostileServer } from '../../../support/hostile-server.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const noTrouble = (error: Error) => expect.unreachable(error.message);

afterEach(() => void vi.useRealTimers());

function openRate(ledger: string, key = 'k', onError: (error: Error) => void = noTrouble) {
  return openSharedRate(ledger, { service: 'https://service.test', key }, onError);
}

/** A process as the others see it: what it has in memory is its own. */
function openSender(ledger: string, rate: number, ...more: [key?: string]) {
  return openPermits(rate, systemClock, { stores: [openRate(ledger, ...more)] });
}

/** Starts as many requests as the permits allow and gives when, by the monotonic clock. */
function startMany(
  permits: ReturnType<typeof openSender>,
  count: number,
  starts: number[] = [],
): Promise<number[]> {
  const start = async () => {
    await permits.take(noAbort);
    starts.push(performance.now());
  };
  return Promise.all(Array.from({ length: count }, start)).then(() => starts);
}

test('another key has its own rate, and a returned permit is used by others', async () => {
  using folder = temporaryFolder();
  const ledger = join(folder.path, 'ledger.db');
  using first = openSender(ledger, 0.1);
  using second = openSender(ledger, 0.1);
  using other = openSender(ledger, 0.1, 'another');
  (await first.take(noAbort)).release();
  // At one request in ten seconds, each of these would wait longer than a test may take.
  await startMany(second, 1);
  await startMany(other, 1);
});

test('a process that cannot share keeps the rate alone, and says so', async () => {
  using folder = temporaryFolder();
  const ledger = join(folder.path, 'ledger.db');
  writeFileSync(`${ledger}-rate`, 'no database at all '.repeat(100));
  const troubles: string[] = [];
  const store = openRate(ledger, 'k', ({ message }) => troubles.push(message));
  using sender = openPermits(1_000, systemClock, { stores: [store] });
  expect(await startMany(sender, 3)).toHaveLength(3);
  expect(troubles).toEqual(['file is not a database']);
});

test('a check counts in the rate', async () => {
  using folder = temporaryFolder();
  const ledger = join(folder.path, 'ledger.db');
  await using service = await openHostileServer({ status: 400, body: '{"error": 400}' });
  using sender = openSender(ledger, 2);
  await startMany(sender, 2);
  const options = {
    provider: companyData,
    baseUrl: service.url,
    key: 'key-of-a-test',
    timeoutMs: 5_000,
    rate: 50,
  };
  expect(await probeService(options, [openRate(ledger)])).toMatchObject({ finding: 'accepted' });
  // Where it would have to wait for too long, nothing is sent.
  sender.slowDown(5, 60_000, true);
  const hasty = { ...options, timeoutMs: 200 };
  expect(await probeService(hasty, [openRate(ledger)])).toMatchObject({ finding: 'throttled' });
  expect(service.seen).toHaveLength(1);
});

test('a lowered rate is remembered when the process ends, without the key', async () => {
  using folder = temporaryFolder();
  const ledger = join(folder.path, 'ledger.db');
  await using server = await openHostileServer((_request, index) =>
    index === 0 ? { status: 429, headers: { 'retry-after': '1' } } : { body: '{"id":"7"}' },
  );
  /** The rates of a client in a process of its own, as far as the ledger can tell. */
  const ratesOf = async (service: string) => {
    const sharedRate = openSharedRate(ledger, { service, key: testKey }, noTrouble);
    await using client = openTestClient(service, { rate: 50, sharedRate, clock: systemClock });
    expect(await client.send(companyCall, noAbort)).toMatchObject({ kind: 'hit', attempts: 1 });
    return client.events.filter((event) => 'perSecond' in event);
  };
  const lowered = { type: 'rate.lowered', ceiling: 50, reason: 'throttled' };
  for (const _ of ['first', 'second'])
    expect((await ratesOf(server.url))[0]).toMatchObject(lowered);
  expect(readFileSync(`${ledger}-rate`).includes(testKey)).toBe(false);
  expect(await ratesOf(`${server.url}/other`)).toEqual([]);
});
