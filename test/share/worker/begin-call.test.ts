import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { expect } from 'vitest';
import { openShareAnswers } from '../../../src/share/answers/share-answers.ts';
import { queueName } from '../../../src/share/open-share.ts';
import { enter } from '../../../src/share/presence/presence.ts';
import { shareKeys } from '../../../src/share/redis/share-keys.ts';
import { begin } from '../../../src/share/worker/begin-call.ts';
import { startRedis, testWithRedis } from '../../support/redis.ts';

const longMs = 3_600_000;
const shortMs = 20;

testWithRedis(
  'answers that nobody has stored hold others back until they expire or their run is long gone',
  async () => {
    await using server = await startRedis();
    const redis = new Redis(server.url);
    const keys = shareKeys('http://127.0.0.1:9', 'key-of-the-worker');
    const answers = openShareAnswers(redis, keys);
    const run = await enter(redis, keys);
    await redis.set(`${keys.prefix}:${queueName}:job:lock`, 'token');
    const maxBytes = 1_500;
    const keep = async (call: string, keepMs: number, paidBy?: string) => {
      const body = Buffer.from(call);
      const answer = { kind: 'miss', status: 404, body, durationMs: 1, paidBy } as const;
      await answers.end(call, 0, { ...answer, keepMs, maxBytes });
    };
    const ask = () =>
      begin(
        { redis, keys },
        { id: 'job', token: 'token', call: 'z' },
        {
          ...{ version: 1, call: 'company?country=AU&fqdn=z.com', run: run.id, askedAt: 0 },
          ...{
            freshFrom: { hit: 0, miss: 0 },
            timeoutMs: 1_000,
            isProven: true,
            charged: 'answers',
          },
          ...{ keepMs: longMs, maxBytes },
        },
      );
    expect(await ask()).toBe('go');
    await keep('a', longMs);
    await keep('b', longMs);
    expect(await ask()).toBe('full');
    await answers.acknowledge(['a']);
    expect(await ask()).toBe('go');
    await answers.relieve();
    await keep('c', shortMs);
    // The run that would have stored it is dead, and nothing else happens meanwhile.
    await delay(2 * shortMs);
    expect(await ask()).toBe('go');

    const [mine, theirs] = ['d', 'e'] as const;
    await keep(mine, longMs, run.id);
    await keep(theirs, longMs, 'run-that-is-gone');
    await answers.relieve();
    // It may be started again, and takes what it has paid for.
    expect(await ask()).toBe('full');
    for (const call of ['b', mine, theirs]) await redis.hset(keys.answer(call), 'at', 0);
    await answers.relieve();
    expect(await ask()).toBe('go');
    expect(await redis.zrange(keys.expiring, 0, -1)).toEqual([mine]);
    redis.disconnect();
  },
);
