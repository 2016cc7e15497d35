import { expect, test } from 'vitest';
import { retryRedis } from '../../../src/integrations/share/redis.ts';

const full = new Error('OOM command not allowed when used memory > maxmemory');

/** A Redis that takes something at the given try; what has given way by then, and how long that took. */
async function untilTaken(atTry: number) {
  let tries = 0;
  let waitedMs = 0;
  const evictedAtMs: number[] = [];
  const work = async () => {
    tries += 1;
    if (tries < atTry) throw full;
    return 'taken';
  };
  const retryOptions = {
    clock: {
      monotonicMs: () => waitedMs,
      sleep: async (ms: number) => {
        waitedMs += ms;
      },
    },
    evictAnswers: async () => {
      evictedAtMs.push(waitedMs);
    },
  };
  const result = await retryRedis(work, retryOptions, new AbortController().signal);
  return { result, evictedAtMs };
}

test('after Redis was full for ten seconds, answers are evicted until there is room', async () => {
  expect(await untilTaken(50)).toEqual({ result: 'taken', evictedAtMs: [] });
  expect(await untilTaken(53)).toEqual({
    result: 'taken',
    evictedAtMs: [10_000, 10_200],
  });
});

test('a stop ends the waiting for room', async () => {
  const stop = new AbortController();
  const retryOptions = {
    clock: {
      monotonicMs: () => 0,
      async sleep() {
        stop.abort(new Error('stopped'));
      },
    },
    evictAnswers: async () => {},
  };
  const work = () => Promise.reject(full);
  await expect(retryRedis(work, retryOptions, stop.signal)).rejects.toThrow('stopped');
});

test('a permanent refusal of Redis is reported at once', async () => {
  const retryOptions = {
    clock: { monotonicMs: () => 0, sleep: () => Promise.reject(new Error('waited')) },
    evictAnswers: async () => {},
  };
  const work = () => Promise.reject(new Error("NOPERM this user has no permissions to run 'xadd'"));
  const { signal } = new AbortController();
  await expect(retryRedis(work, retryOptions, signal)).rejects.toMatchObject({
    code: 'SHARE_REFUSED',
  });
});
