import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { expect } from 'vitest';
import { shareKeys } from '../../../src/integrations/share/redis.ts';
import {
  type AnswerStore,
  createAnswerStore,
  type SharedAnswer,
} from '../../../src/integrations/share/shared-answers.ts';
import { startRedis, testWithRedis } from '../../support/redis.ts';

/** An answer takes about 1,200 bytes, so three fill the room. */
const maxBytes = 4_000;
const longMs = 3_600_000;
const shortMs = 2;
const keys = shareKeys('http://127.0.0.1:9', 'key-of-the-answers');

const call = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h');
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      does: fc.constant('keep' as const),
      call,
      text: fc.string({ maxLength: 300 }),
      keepMs: fc.constantFrom(longMs, longMs, shortMs),
    }),
  },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('store' as const), call }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('evict' as const) }) },
);

/** The last answer that was kept. It may be evicted once it is stored. */
interface Known {
  readonly answer: SharedAnswer;
  readonly isShort: boolean;
  isStored: boolean;
}

testWithRedis('answers stay until they expire or a run has stored them, in any order', async () => {
  await using server = await startRedis();
  const redis = new Redis(server.url);
  const answers = createAnswerStore(redis, keys);
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40, size: 'max' }), async (steps) => {
      await redis.flushall();
      const known = new Map<string, Known>();
      for (const one of steps) {
        await take(answers, known, one);
        for (const [name, { answer, isShort, isStored }] of known) {
          const seen = await answers.look(name);
          if (isShort) expect(seen, name).toBeUndefined();
          else if (!isStored) expect(seen, name).toEqual(answer);
          else if (seen) expect(seen, name).toEqual(answer);
        }
        await expectSizes(redis, one.does === 'keep');
      }
    }),
    { numRuns: 12 },
  );
  redis.disconnect();
});

testWithRedis('a full Redis lets go of answers that a run has stored', async () => {
  await using server = await startRedis();
  const redis = new Redis(server.url);
  const answers = createAnswerStore(redis, keys);
  for (const name of ['stored', 'unstored']) await answers.keep(name, miss('{}'), longMs, maxBytes);
  await redis.config('SET', 'maxmemory', '1');
  answers.noteStored('stored');
  await answers.flush();
  expect(await answers.look('stored')).toBeUndefined();
  await answers.evict();
  expect(await answers.look('unstored')).toBeDefined();
  redis.disconnect();
});

function miss(text: string): SharedAnswer {
  const body = Buffer.from(text);
  return { kind: 'miss', status: 404, body, durationMs: 7, fetchedAt: Date.now() };
}

async function take(
  answers: AnswerStore,
  known: Map<string, Known>,
  one: typeof step extends fc.Arbitrary<infer Step> ? Step : never,
): Promise<void> {
  switch (one.does) {
    case 'keep': {
      const isShort = one.keepMs === shortMs;
      const answer = miss(one.text);
      await answers.keep(one.call, answer, one.keepMs, maxBytes);
      known.set(one.call, { answer, isShort, isStored: false });
      if (isShort) await delay(3 * shortMs);
      break;
    }
    case 'store': {
      answers.noteStored(one.call);
      await answers.flush();
      const stored = known.get(one.call);
      if (stored) stored.isStored = true;
      break;
    }
    case 'evict':
      await answers.evict();
  }
}

/** The bytes of all answers are those of each, and fit unless nobody has stored what is there. */
async function expectSizes(redis: Redis, hasMadeRoom: boolean): Promise<void> {
  const { all = '0', ...sizes } = await redis.hgetall(keys.sizes);
  const sum = Object.values(sizes).reduce((bytes, size) => bytes + Number(size), 0);
  expect(Number(all)).toBe(sum);
  expect((await redis.zrange(keys.kept, 0, -1)).sort()).toEqual(Object.keys(sizes).sort());
  if (hasMadeRoom && sum > maxBytes) expect(await redis.zcount(keys.kept, '-inf', 0)).toBe(0);
}
