import { join } from 'node:path';
import { Redis } from 'ioredis';
import { expect } from 'vitest';
import { prepareConnection } from '../../../../src/cli/parts/connect.ts';
import { openPermits } from '../../../../src/engine/client/rate/permits.ts';
import { openRedisStore } from '../../../../src/integrations/share/rate/redis-store.ts';
import { systemClock } from '../../../../src/platform/clock.ts';
import { createLog } from '../../../../src/platform/log.ts';
import { companyCall, noAbort } from '../../../support/client-under-test.ts';
import { openHostileServer } from '../../../support/hostile-server.ts';
import { startRedis, testWithRedis } from '../../../support/redis.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { companyDataService, testJob } from '../../../support/test-job.ts';

const retryOptions = { clock: systemClock, evictAnswers: async () => {} };

/** A machine that sends with a rate. */
function openMachine(url: string, rate: number | 'none') {
  const redis = new Redis(url);
  redis.on('error', () => {});
  const store = openRedisStore(redis, 'rate', retryOptions);
  const permits = openPermits(rate, systemClock, { stores: [store] });
  return {
    permits,
    [Symbol.dispose]() {
      permits[Symbol.dispose]();
      redis.disconnect();
    },
  };
}

function mostInAnySecond(starts: readonly number[], windowMs = 1_000): number {
  const within = (from: number) => starts.filter((at) => at >= from && at < from + windowMs).length;
  return Math.max(...starts.map(within));
}

testWithRedis('a Redis that lost its data gets the learned rate back from a machine', async () => {
  await using server = await startRedis();
  using run = openMachine(server.url, 100);
  using other = openMachine(server.url, 'none');
  await run.permits.take(noAbort);
  run.permits.slowDown(0, 60_000, true);
  const heard = async () => {
    await other.permits.beat();
    return [other.permits.allowed().perSecond, Math.round(other.permits.closedMs() / 10_000)];
  };
  await expect.poll(heard).toEqual([50, 6]);
  const admin = new Redis(server.url);
  await admin.flushall();
  admin.disconnect();
  await heard();
  using late = openMachine(server.url, 'none');
  await late.permits.beat();
  expect(late.permits.allowed()).toEqual({ perSecond: 50, reason: 'throttled' });
  await expect(late.permits.take(AbortSignal.timeout(100))).rejects.toThrow('timeout');
});

testWithRedis('runs with and without Redis keep the rate of their ledger together', async () => {
  using folder = temporaryFolder();
  await using server = await startRedis();
  const arrivals: number[] = [];
  await using service = await openHostileServer(() => {
    arrivals.push(performance.now());
    return { body: '{"id":"7"}' };
  });
  process.env.KEY_OF_BOTH = 'secret-key-1234';
  const alone = {
    ...companyDataService,
    url: service.url,
    key: { from: 'environment', name: 'KEY_OF_BOTH' },
  } as const;
  const address = { reveal: () => new URL(server.url) } as never;
  const shared = { ...alone, share: address };
  const open = (part: typeof alone) => {
    const job = testJob({ services: [part], ledger: join(folder.path, 'ledger.db') });
    const limits = { ...job.limits, rate: 10, concurrency: 4 };
    const log = createLog({ format: 'text', level: 'error' });
    return prepareConnection({ ...job, limits }, log, () => {})(
      { hasEverFound: true, attempts: 1 },
      0,
    );
  };
  await using first = await open(alone);
  await using second = await open(shared);
  delete process.env.KEY_OF_BOTH;
  const ask = (client: typeof first, index: number) =>
    client.send(
      { ...companyCall, identifier: { kind: 'fqdn', value: `c${index}.example` } },
      noAbort,
    );
  const calls = Array.from({ length: 15 }, (_, index) => index);
  await Promise.all([
    ...calls.map((index) => ask(first, index)),
    ...calls.map((index) => ask(second, 100 + index)),
  ]);
  expect(arrivals).toHaveLength(30);
  // Clients and service share a busy process, which may notice an arrival late.
  expect(mostInAnySecond(arrivals, 900)).toBeLessThanOrEqual(10);
});
