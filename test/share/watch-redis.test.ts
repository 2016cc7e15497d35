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

test('a Redis that is full is told in plain words, though it comes and goes', () => {
  using seen = openWatch();
  const full = (script: string) =>
    `OOM command not allowed when used memory > 'maxmemory'. script: ${script}, on @user_script:1.`;
  seen.meet(full('d96c'));
  seen.redis.awaySinceMs = 1;
  seen.meet(full('1e9b'), full('d96c'));
  seen.redis.awaySinceMs = undefined;
  seen.meet(full('c35b'));
  expect(seen.told).toEqual([expect.stringContaining('memory of Redis is full'), 'lost', 'back']);
});
