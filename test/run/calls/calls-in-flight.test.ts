import { expect, test } from 'vitest';
import type { CallResult } from '../../../src/core/contract/call.ts';
import { type Counts, noCounts } from '../../../src/core/rules/outcomes.ts';
import {
  type Answer,
  type Exchange,
  mostCalls,
  type RunQueue,
} from '../../../src/engine/queue/run-queue.ts';
import { callLoop } from '../../../src/run/calls/call-loop.ts';
import { createRouter } from '../../../src/run/calls/router.ts';
import type { ServiceClient } from '../../../src/run/run-parts.ts';
import { failure, hitOf, miss } from '../../support/answers.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { testJob } from '../../support/test-job.ts';
import { callingOptions } from '../../support/test-run.ts';

/** A queue that leases its calls once, and keeps what is given to it. */
function queueOf(calls: number) {
  const batches: Answer[][] = [];
  const released: number[] = [];
  let leased = 0;
  const counts = (): Counts => ({
    ...noCounts(),
    calls: { ...noCounts().calls, open: calls - batches.flat().length - released.length },
  });
  const queue: RunQueue = {
    add: async () => counts(),
    async exchange(answers, rooms): Promise<Exchange> {
      const [room = 0] = rooms.map(mostCalls);
      if (answers.length > 0) batches.push([...answers]);
      const from = leased;
      leased = Math.min(calls, leased + room);
      const call = {
        operation: 'people',
        companyId: '7',
        country: 'AU',
        from: 0,
        size: 50,
      } as const;
      const taken = Array.from({ length: leased - from }, (_, index) => ({
        callId: from + index,
        call: { ...call },
        serviceIndex: 0,
        hasFailed: false,
      }));
      return { calls: taken, counts: counts(), misread: [], openCalls: 'none' };
    },
    reserve: async () => ({ granted: 0 }),
    returnUnsent: async (ids) => void released.push(...ids),
    recover: async () => {},
    counts: async () => counts(),
    [Symbol.asyncDispose]: async () => {},
  };
  return { queue, batches, released };
}

const job = testJob({ limits: { ...testJob().limits, concurrency: 20 } });

async function call(calls: number, open: () => Promise<ServiceClient>) {
  const { queue, batches, released } = queueOf(calls);
  const options = callingOptions(queue, job, createFakeClock());
  const error = await callLoop(queue, createRouter(open), options).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  const stored = batches.flat().map(({ callId, result }) => [callId, result]);
  return { error, batches, stored, released, spent: options.charges.budget.spent };
}

/** The calls of these outcomes come back in this order. */
async function callsOf(outcomes: readonly CallResult[], requireAnswers: () => void = () => {}) {
  const left = [...outcomes];
  const send = async () => left.shift() ?? expect.unreachable();
  return await call(outcomes.length, async () => ({ send, requireAnswers }));
}

const hit = hitOf({});
const unproven: CallResult = { ...failure, missIfProven: miss };
const down = new Error('down');
const blame = () => {
  throw down;
};

test('a failure waits for an answer that shows that the service works', async () => {
  const none = await callsOf([failure, failure], blame);
  expect(none).toMatchObject({ error: down, batches: [[{ staysOpen: true }, {}]] });
  const { stored } = await callsOf([failure, miss, failure]);
  expect(stored).toEqual([
    [0, failure],
    [1, miss],
    [2, failure],
  ]);
});

test('an answer that the service gave before a failure says nothing about it', async () => {
  const failed = { ...failure, fetchedAt: 2_000 };
  const older = await callsOf([failed, { ...miss, fetchedAt: 1_000 }], blame);
  expect(older.batches.flat()).toMatchObject([{ callId: 1 }, { callId: 0, staysOpen: true }]);
  const newer = await callsOf([failed, { ...miss, fetchedAt: 3_000 }], blame);
  expect(newer.batches.flat().map(({ callId }) => callId)).toEqual([0, 1]);
});

test('a hit proves the service, whenever it was given: an empty 404 was a miss', async () => {
  const later = { ...unproven, fetchedAt: 2_000 };
  expect((await callsOf([later, { ...hit, fetchedAt: 1_000 }])).stored).toMatchObject([
    [0, { kind: 'miss' }],
    [1, { kind: 'hit' }],
  ]);
  expect((await callsOf([unproven, miss])).stored).toEqual([
    [0, failure],
    [1, miss],
  ]);
  expect((await callsOf([failure, unproven])).stored).toEqual([
    [0, failure],
    [1, failure],
  ]);
});

test('a client is opened for the first call alone, and one that cannot be opened costs nothing', async () => {
  expect(await call(0, () => expect.unreachable())).toMatchObject({ error: undefined });
  const refused = await call(3, () => Promise.reject(down));
  expect(refused).toMatchObject({ error: down, released: [0, 1, 2], batches: [], spent: 0 });
});
