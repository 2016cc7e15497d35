import { Redis } from 'ioredis';
import { expect } from 'vitest';
import { systemClock } from '../../../src/runtime/clock.ts';
import { openShare } from '../../../src/share/open-share.ts';
import { openShareView } from '../../../src/share/view/open-share-view.ts';
import { startRedis, testWithRedis } from '../../support/redis.ts';

const account = { service: 'http://127.0.0.1:1', key: 'key-of-the-account' };

testWithRedis('looking tells who is there and how fast, and writes nothing', async () => {
  await using redis = await startRedis();
  const address = new URL(redis.url);
  const other = new Redis(redis.url);
  await using view = await openShareView({ address, ...account });
  expect(await view.read()).toMatchObject({
    calls: { waiting: 0, active: 0, delayed: 0 },
    members: [],
    workers: 0,
    rate: { allowed: undefined, used: undefined, loweredBy: undefined, asked: [] },
    throttledUntil: undefined,
    stop: undefined,
    answers: { count: 0, bytes: 0 },
  });
  expect(await other.dbsize()).toBe(0);
  other.disconnect();

  const open = (kind: 'run' | 'worker', rate: number, concurrency: number) =>
    openShare({
      ...{ address, ...account, rate, maxWaitMs: 1_000, clock: systemClock },
      facts: { kind, version: '1.2.3', concurrency, ...(kind === 'run' && { job: 'nightly' }) },
      onAllowed: () => {},
    });
  await using run = await open('run', 50, 0);
  await using _worker = await open('worker', 80, 4);
  await run.queue.add('call', {}, { jobId: 'one' });
  const kept = { keepMs: 60_000, maxBytes: 1_000_000 };
  const miss = { kind: 'miss', status: 404, body: Buffer.from('{}'), durationMs: 5 } as const;
  await run.answers.end('call', 0, { ...miss, ...kept });
  // A Redis that is new to them keeps requests back for a moment.
  const use = async () => {
    const taken = await run.window.take(run.rate.version, { capacity: 50, windowMs: 1_012 });
    if (taken.kind === 'taken') run.window.start(taken.place, 0);
    return (await view.read()).rate.used;
  };
  await expect.poll(use).toBeGreaterThan(0);
  await run.window.close(30_000);

  const facts = await view.read();
  expect(facts.calls).toEqual({ waiting: 1, active: 0, delayed: 0 });
  expect(facts.members).toMatchObject([
    { kind: 'run', job: 'nightly', version: '1.2.3', pid: process.pid, concurrency: 0 },
    { kind: 'worker', concurrency: 4 },
  ]);
  expect(facts.workers).toBe(1);
  expect(facts.rate).toMatchObject({ allowed: 50, loweredBy: 'other job', asked: [50, 80] });
  expect(facts.throttledUntil).toBeGreaterThan(facts.seenAt);
  expect(facts.answers).toMatchObject({ count: 1 });
  expect(facts.answers.bytes).toBeGreaterThan(0);
});

testWithRedis('who looks at another key sees nothing of this one', async () => {
  await using redis = await startRedis();
  const address = new URL(redis.url);
  await using _run = await openShare({
    ...{ address, ...account, rate: 5, maxWaitMs: 1_000, clock: systemClock },
    facts: { kind: 'run', version: '1.2.3', concurrency: 1, job: 'nightly' },
    onAllowed: () => {},
  });
  await using view = await openShareView({ address, ...account, key: 'another-key' });
  expect((await view.read()).members).toEqual([]);
});
