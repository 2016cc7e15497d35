import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { expect } from 'vitest';
import { DossierError } from '../../../src/core/errors.ts';
import { createRunStop } from '../../../src/engine/client/run-stop.ts';
import { openHeartbeat } from '../../../src/integrations/share/heartbeat.ts';
import { shareKeys } from '../../../src/integrations/share/redis.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { startRedis, testWithRedis } from '../../support/redis.ts';

const keys = shareKeys('http://127.0.0.1:1', 'key-of-the-run');

function openRun(url: string) {
  const redis = new Redis(url, { maxRetriesPerRequest: null });
  redis.on('error', () => {});
  const reports: string[] = [];
  const runStop = createRunStop();
  const heartbeat = openHeartbeat(redis, keys, {
    address: new URL(url),
    clock: systemClock,
    maxWaitMs: 60_000,
    runStop,
    listener: {
      onLost: () => reports.push('lost'),
      onBack: () => reports.push('back'),
      onError: (message) => reports.push(message),
    },
  });
  return {
    ...heartbeat,
    reports,
    runStop,
    [Symbol.dispose]() {
      heartbeat[Symbol.dispose]();
      redis.disconnect();
    },
  };
}

testWithRedis('failures of Redis are reported once, and a loss before its reason', async () => {
  await using server = await startRedis();
  using run = openRun(server.url);
  await run.beat();
  run.noteError(new Error('could not renew lock for job 1'));
  run.noteError(new Error('Missing key for job 2. moveToFinished'));
  run.noteError(new Error("OOM command not allowed when used memory > 'maxmemory'. script: d96c"));
  expect(run.reports).toEqual([
    expect.stringContaining('may be made again'),
    expect.stringContaining('memory of Redis is full'),
  ]);
  await server.kill();
  await expect.poll(run.awaySinceMs).toBeDefined();
  run.noteError(new Error('connect ECONNREFUSED'));
  await server.restart('kept');
  await expect.poll(() => run.reports.at(-1), { timeout: 5_000 }).toBe('back');
  expect(run.reports.slice(2, 4)).toEqual(['lost', 'connect ECONNREFUSED']);
});

testWithRedis('a stop concerns runs that were there, and of a service that is down', async () => {
  await using server = await startRedis();
  using stopped = openRun(server.url);
  using failing = openRun(server.url);
  using answered = openRun(server.url);
  const all = [stopped, failing, answered];
  for (const run of all) await run.beat();
  for (const run of [failing, answered]) {
    run.noteAttempt({ verdict: { kind: 'hit' }, fetchedAt: run.nowMs() - 10 });
  }
  await delay(20);
  await stopped.leave(new DossierError('SERVICE_DOWN', 'no answer'));
  await delay(20);
  const transient = { kind: 'transient', reason: 'reset' } as const;
  failing.noteAttempt({ verdict: transient, fetchedAt: failing.nowMs() });
  using later = openRun(server.url);
  for (const run of [failing, answered, later]) await run.beat();
  expect(failing.runStop.signal.reason).toMatchObject({ code: 'SERVICE_DOWN' });
  for (const run of [answered, later]) expect(run.runStop.signal.aborted).toBe(false);
});
