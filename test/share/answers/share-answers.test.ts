import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { describe, expect } from 'vitest';
import {
  type NewSharedAnswer,
  openShareAnswers,
  type SeenCall,
  type ShareAnswers,
} from '../../../src/share/answers/share-answers.ts';
import { type ShareKeys, shareKeys } from '../../../src/share/redis/share-keys.ts';
import { startRedis, testWithRedis } from '../../support/redis.ts';

/** Answers take some 1,200 bytes each, so that three fill the room. */
const maxBytes = 4_000;
const longMs = 3_600_000;
const shortMs = 2;

type Step =
  | {
      readonly does: 'end';
      readonly call: string;
      /** How many generations too late a worker comes. */
      readonly late: number;
      readonly kind: 'hit' | 'miss' | 'none';
      readonly text: string;
      readonly keepMs: number;
    }
  | { readonly does: 'acknowledge'; readonly calls: readonly string[] }
  | { readonly does: 'relieve' }
  | { readonly does: 'wait' };

const call = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h');
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      does: fc.constant('end' as const),
      call,
      late: fc.constantFrom(0, 0, 0, 1),
      kind: fc.constantFrom('hit', 'hit', 'miss', 'none'),
      text: fc.string({ maxLength: 300 }),
      keepMs: fc.constantFrom(longMs, longMs, shortMs),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('acknowledge' as const),
      calls: fc.uniqueArray(call, { maxLength: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ does: 'relieve' } as const) },
  { weight: 1, arbitrary: fc.constant({ does: 'wait' } as const) },
);

/** What has to be known of a call. */
interface Known {
  generation: number;
  /** The last answer that was taken; it may have given way where it is stored. */
  answer?: NewSharedAnswer;
  isStored: boolean;
  /** It expires at once. */
  isShort: boolean;
}

describe('the answers of all runs', () => {
  testWithRedis(
    'stay until they expire or a run has stored them, in whatever order all is told',
    async () => {
      await using server = await startRedis();
      const redis = new Redis(server.url);
      const keys = shareKeys('http://127.0.0.1:9', 'key-of-the-answers');
      const answers = openShareAnswers(redis, keys);
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 40, size: 'max' }), async (steps) => {
          await redis.flushall();
          const known = new Map<string, Known>();
          for (const one of steps) {
            const room = await take(answers, known, one);
            await expectKnown(answers, known);
            await expectSizes(redis, keys, known, room);
          }
        }),
        { numRuns: 30 },
      );
      redis.disconnect();
    },
  );

  testWithRedis(
    'are kept though the number of the call is forgotten, and leave nothing',
    async () => {
      await using server = await startRedis();
      const redis = new Redis(server.url);
      const keys = shareKeys('http://127.0.0.1:9', 'key-of-the-answers');
      const answers = openShareAnswers(redis, keys);
      const miss = { kind: 'miss', status: 404, body: Buffer.from('{}'), durationMs: 7 } as const;
      // A throttle may last for longer than a number is known.
      await answers.end('a', 3, { ...miss, keepMs: longMs, maxBytes });
      await answers.end('b', 0, { ...miss, keepMs: shortMs, maxBytes });
      expect(await answers.look('a')).toMatchObject({ answer: miss, generation: 4 });
      await answers.acknowledge(['a']);
      const lastingMs = await Promise.all(
        [keys.expiring, keys.stored, keys.sizes].map((table) => redis.pttl(table)),
      );
      for (const ms of lastingMs) expect(ms).toBeGreaterThan(longMs / 2);
      redis.disconnect();
    },
  );
});

/** Takes a step in Redis and in the model. True where what was stored had to make room. */
async function take(answers: ShareAnswers, known: Map<string, Known>, one: Step): Promise<boolean> {
  switch (one.does) {
    case 'end': {
      const of = known.get(one.call) ?? { generation: 0, isStored: false, isShort: false };
      known.set(one.call, of);
      const { kind, text, keepMs } = one;
      const companyId = kind === 'hit' ? `c_${text.length}` : undefined;
      const answer: NewSharedAnswer | undefined =
        kind === 'none'
          ? undefined
          : { ...{ kind, companyId, status: 200, durationMs: 7 }, body: Buffer.from(text) };
      const kept = answer && { ...answer, keepMs, maxBytes };
      await answers.end(one.call, of.generation - one.late, kept);
      const isThere = of.answer !== undefined && !of.isShort;
      if (one.late === 0) of.generation += 1;
      if (!answer || (one.late > 0 && isThere)) return false;
      Object.assign(of, { answer, isStored: false, isShort: keepMs === shortMs });
      if (of.isShort) await delay(3 * shortMs);
      return true;
    }
    case 'acknowledge':
      await answers.acknowledge(one.calls);
      for (const name of one.calls) {
        const of = known.get(name);
        if (of?.answer) of.isStored = true;
      }
      return false;
    case 'relieve':
      await answers.relieve();
      for (const of of known.values()) if (of.isStored) delete of.answer;
      return false;
    case 'wait':
      await delay(3 * shortMs);
      return false;
  }
}

async function expectKnown(answers: ShareAnswers, known: Map<string, Known>): Promise<void> {
  const looked = await Promise.all([...known.keys()].map((name) => answers.look(name)));
  for (const [index, [name, of]] of [...known].entries()) {
    const seen = looked[index] as SeenCall;
    expect(seen.generation, name).toBe(of.generation);
    const { fetchedAt, ...answer } = seen.answer ?? { fetchedAt: 0 };
    // An answer that is there is the last one that was taken, whole.
    if (seen.answer) expect(answer, name).toEqual(of.answer);
    if (of.isShort) expect(seen.answer, name).toBeUndefined();
    // What nobody has stored never gives way.
    else if (of.answer && !of.isStored) expect(seen.answer, name).toBeDefined();
    // What has given way once does not come back.
    if (!seen.answer && !of.isShort) delete of.answer;
  }
}

/** The bytes of all are those of each, and fit the room, unless nobody has stored what is there. */
async function expectSizes(
  redis: Redis,
  keys: ShareKeys,
  known: Map<string, Known>,
  hasMadeRoom: boolean,
): Promise<void> {
  const [{ all = '0', ...sizes }, listed, stored] = await Promise.all([
    redis.hgetall(keys.sizes),
    redis.zrange(keys.expiring, 0, -1),
    redis.zrange(keys.stored, 0, -1),
  ]);
  const sum = Object.values(sizes).reduce((bytes, size) => bytes + Number(size), 0);
  expect(Number(all)).toBe(sum);
  expect(listed.sort()).toEqual(Object.keys(sizes).sort());
  expect(listed).toEqual(expect.arrayContaining(stored));
  if (hasMadeRoom && sum > maxBytes) expect(stored).toEqual([]);
  for (const [name, { answer, isShort }] of known) {
    if (answer && !isShort) expect(Object.keys(sizes)).toContain(name);
  }
}
