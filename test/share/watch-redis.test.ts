import { expect, test } from 'vitest';
import { watchRedis } from '../../src/share/watch-redis.ts';

function openWatch() {
  const redis: { awaySinceMs: number | undefined } = { awaySinceMs: undefined };
  const told: string[] = [];
  const watch = watchRedis(
    { awaySinceMs: () => redis.awaySinceMs },
    {
      onLost: () => told.push('lost'),
      onBack: () => told.push('back'),
      onTrouble: (message) => told.push(message),
    },
  );
  const meet = (...messages: string[]) => {
    for (const message of messages) watch.noteTrouble(new Error(message));
  };
  return { redis, told, meet, [Symbol.dispose]: () => watch[Symbol.dispose]() };
}

test('a Redis that is away is told once, with its reason behind it', () => {
  using seen = openWatch();
  seen.redis.awaySinceMs = 1;
  seen.meet('connect ECONNREFUSED', 'connect ECONNREFUSED');
  expect(seen.told).toEqual(['lost', 'connect ECONNREFUSED']);
});

test('jobs that a Redis has lost are one trouble, however many they are', () => {
  using seen = openWatch();
  seen.redis.awaySinceMs = 1;
  seen.meet('connect ECONNREFUSED');
  seen.redis.awaySinceMs = undefined;
  seen.meet(
    'could not renew lock for job 1-0',
    'could not renew lock for job 2-0',
    'Missing key for job 1-0. moveToFinished',
    'Missing lock for job 2-0. moveToFinished',
  );
  expect(seen.told.slice(2)).toEqual(['back', expect.stringContaining('may be made again')]);
});
