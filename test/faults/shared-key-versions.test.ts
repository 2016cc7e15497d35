import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { describe, expect } from 'vitest';
import type { CallRequest } from '../../src/contract/call.ts';
import { callName } from '../../src/share/messages/call-name.ts';
import { queueName } from '../../src/share/open-share.ts';
import { shareKeys } from '../../src/share/redis/share-keys.ts';
import { domainOf } from '../journeys/sample-companies.ts';
import { testWithRedis } from '../support/redis.ts';
import { expectToEnd } from './support/expect-stop.ts';
import { faultCase } from './support/fault-case.ts';
import { oneRedis } from './support/share/one-redis.ts';
import {
  expectSharedOnce,
  openSharedWorld,
  type SharedWorld,
} from './support/share/shared-world.ts';

const redis = oneRedis();
const where = testWithRedis;

/** A Dossier of another version, as the queue of a world sees it. */
function openStranger(world: SharedWorld) {
  const connection = new Redis(redis.url, { maxRetriesPerRequest: null });
  connection.on('error', () => {});
  const { prefix } = shareKeys(world.url, world.key);
  const queue = new Queue(queueName, { connection, prefix });
  let worker: Worker | undefined;
  let answered = 0;
  return {
    queue,
    answered: () => answered,
    /** Takes jobs like other workers, and ends so many of them with a result of its own. */
    async answer(jobs: number, result: (data: unknown) => unknown) {
      const answerOne = async ({ data }: { readonly data: unknown }) => {
        answered += 1;
        // It takes no further job once it closes.
        if (answered === jobs) void worker?.close();
        return result(data);
      };
      worker = new Worker(queueName, answerOne, { connection, prefix, concurrency: 1 });
      worker.on('error', () => {});
      await worker.waitUntilReady();
    },
    async [Symbol.asyncDispose]() {
      await worker?.close();
      await queue.close();
      connection.disconnect();
    },
  };
}

/** What a worker of another version may say of a job. */
const results: Readonly<Record<string, (data: unknown) => unknown>> = {
  'a kind that nobody knows': () => ({ version: 2, kind: 'streamed', parts: 3 }),
  'a text': () => 'done',
  nothing: () => undefined,
  'an answer that is not there': (data) => ({
    kind: 'answered',
    run: (data as { run: string }).run,
    mayBeCharged: false,
  }),
};

describe('beside a Dossier of another version, machines that share a key', () => {
  faultCase(
    'ask what a run has asked for that is gone, in words they do not know',
    async (seed) => {
      await using world = await openSharedWorld(redis.url);
      await using stranger = openStranger(world);
      const calls = [0, 1, 2].map(
        (number): CallRequest => ({
          operation: 'company',
          identifier: { kind: 'fqdn', value: domainOf(number) },
          country: 'AU',
        }),
      );
      const messages = [{ version: 2, run: 'run-of-yesterday', ask: ['x'] }, 'text', { call: 7 }];
      for (const call of calls) {
        await stranger.queue.add('call', seed.pick(messages), { jobId: `${callName(call)}-0` });
      }
      const ends = await Promise.all(world.machines.map((machine) => machine.run()));
      for (const ended of ends) expectToEnd(ended);
      await expectSharedOnce(world);
    },
    { rounds: { short: 1, long: 5 }, where },
  );

  faultCase(
    'ask again what its worker has answered with something else',
    async (seed) => {
      await using world = await openSharedWorld(redis.url);
      await using stranger = openStranger(world);
      const said = Object.keys(results);
      await stranger.answer(3, (data) => results[seed.pick(said)]?.(data));
      const ends = await Promise.all(world.machines.map((machine) => machine.run()));
      for (const ended of ends) expectToEnd(ended);
      expect(stranger.answered()).toBeGreaterThan(0);
      await expectSharedOnce(world);
    },
    { rounds: { short: 1, long: 5 }, where },
  );
});
