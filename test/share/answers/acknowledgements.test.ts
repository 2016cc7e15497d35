import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { expect } from 'vitest';
import type { CallOutcome } from '../../../src/contract/call.ts';
import { openAcknowledgements } from '../../../src/share/answers/acknowledgements.ts';
import { openShareAnswers } from '../../../src/share/answers/share-answers.ts';
import { shareKeys } from '../../../src/share/redis/share-keys.ts';
import { startRedis, testWithRedis } from '../../support/redis.ts';

const body = Buffer.from('{}');
const outcome: CallOutcome = { kind: 'miss', status: 404, body, attempts: 1, durationMs: 1 };
const kept = { kind: 'miss', status: 404, body, durationMs: 1 } as const;
const terms = { keepMs: 60_000, maxBytes: 1_000_000 };

testWithRedis(
  'what a run has stored gives way, though Redis was full or had no answer yet when it was told',
  async () => {
    await using server = await startRedis();
    const redis = new Redis(server.url);
    const keys = shareKeys('http://127.0.0.1:9', 'key-of-the-run');
    const answers = openShareAnswers(redis, keys);
    const beingKept = new Set(['late']);
    const acknowledgements = openAcknowledgements({
      answers,
      isBeingKept: (call) => beingKept.has(call),
    });
    const noteStored = (call: string) => {
      const own = { ...outcome };
      acknowledgements.expect(own, call);
      acknowledgements.add(own);
    };
    const stored = () => redis.zrange(keys.stored, 0, -1);

    noteStored('late');
    await delay(50);
    await answers.end('late', 0, { ...kept, ...terms });
    beingKept.clear();
    await expect.poll(stored).toEqual(['late']);

    await answers.end('early', 0, { ...kept, ...terms });
    await redis.config('SET', 'maxmemory', '1');
    noteStored('early');
    await delay(50);
    expect(await stored()).toEqual(['late']);
    // Nothing can be written, but what was stored can go.
    await answers.forget(['late']);
    expect(await stored()).toEqual([]);
    await redis.config('SET', 'maxmemory', '0');
    await expect.poll(stored).toEqual(['early']);
    redis.disconnect();
  },
);
