import { Worker } from 'bullmq';
import { expect, onTestFinished } from 'vitest';
import { endlessBudget } from '../../../src/client/request-budget.ts';
import { openRunStop } from '../../../src/client/run-stop.ts';
import { openBodyBudget } from '../../../src/client/wire/body-budget.ts';
import type { CallRequest } from '../../../src/contract/call.ts';
import { DossierError, UnansweredError } from '../../../src/errors.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
import type { ShareAnswers } from '../../../src/share/answers/share-answers.ts';
import { askCall } from '../../../src/share/ask/ask-call.ts';
import type { AskParts } from '../../../src/share/ask/ask-parts.ts';
import type { JobEnd } from '../../../src/share/ask/awaited-jobs.ts';
import { openShare, queueName, type Share } from '../../../src/share/open-share.ts';
import { startRedis, testWithRedis } from '../../support/redis.ts';

const call = {
  operation: 'company',
  identifier: { kind: 'fqdn', value: 'acme.com' },
  country: 'AU',
} as const;
const miss = { kind: 'miss', status: 404, body: Buffer.from('{}'), durationMs: 5 } as const;
const stop = new DossierError('INTERRUPTED', 'stopped');

/** A call of a run that waits for a job, of which nothing is heard but what the test tells. */
async function openAsked(
  answers: Partial<ShareAnswers> = {},
  asked: CallRequest = call,
  changes: Partial<Share> = {},
) {
  const server = await startRedis();
  const share = await openShare({
    ...{ address: new URL(server.url), service: 'http://127.0.0.1:1', key: 'key-of-the-run' },
    ...{ rate: 'none', maxWaitMs: 1_000, clock: systemClock, onAllowed: () => {} },
  });
  onTestFinished(async () => {
    await share[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });
  const { promise: end, resolve: tell } = Promise.withResolvers<JobEnd>();
  const { promise: added, resolve: noteAdded } = Promise.withResolvers<string>();
  const runStop = openRunStop();
  const freshFrom = () => ({ hit: 0, miss: 0 });
  const parts: AskParts = {
    share: { ...share, answers: { ...share.answers, ...answers }, ...changes },
    awaited: {
      open(jobId) {
        noteAdded(jobId);
        return {
          end,
          isActive: () => false,
          isAdded: () => true,
          noteAsked: () => {},
          forget: () => {},
        };
      },
      end: () => {},
      ready: async () => {},
      [Symbol.asyncDispose]: async () => {},
    },
    throttle: { isOn: () => false, waitUntilOver: async () => {} },
    ...{
      runStop,
      freshFrom,
      bodies: openBodyBudget(1_000_000),
      budget: endlessBudget,
      onAsked: () => () => {},
    },
    isHeldHere: () => false,
    terms: () => ({
      ...{ freshFrom: freshFrom(), timeoutMs: 5_000, isProven: true, charged: 'answers' },
      ...{ keepMs: 60_000, maxBytes: 1_000_000 },
    }),
  };
  const reservation = { isHeld: true };
  const seen = { answer: undefined, generation: 0 };
  const { signal } = new AbortController();
  const attempt = askCall(parts, { call: asked, reservation, seen }, signal);
  attempt.catch(() => {});
  const jobId = await added;
  const isAdded = expect.poll(() => share.queue.getJob(jobId)).toBeTruthy();
  await Promise.race([isAdded, attempt.catch(() => {})]);
  isAdded.catch(() => {});
  const answered = { kind: 'answered', run: share.presence.id, mayBeCharged: true } as const;
  return { attempt, reservation, share, jobId, runStop, tell, answered };
}

testWithRedis(
  'a stop waits for a job that a worker has begun, though it has not heard so',
  async () => {
    const { attempt, reservation, share, runStop, tell, answered } = await openAsked();
    const worker = new Worker(queueName, undefined, {
      connection: share.redis,
      prefix: share.keys.prefix,
      autorun: false,
    });
    await worker.getNextJob('token');
    runStop.stop(stop);
    tell({ kind: 'result', result: answered, answer: { ...miss, fetchedAt: 1 } });
    expect(await attempt).toMatchObject({ verdict: { kind: 'miss' } });
    expect(reservation.isHeld).toBe(false);
    await worker.close();
  },
);

testWithRedis('a stop pays for a job that has ended, though it has not heard so', async () => {
  const { attempt, reservation, share, runStop, jobId, tell, answered } = await openAsked();
  const worker = new Worker(queueName, async () => answered, {
    connection: share.redis,
    prefix: share.keys.prefix,
  });
  const hasEnded = async () => (await share.queue.getJob(jobId))?.finishedOn !== undefined;
  await expect.poll(hasEnded).toBe(true);
  runStop.stop(stop);
  setTimeout(
    () => tell({ kind: 'result', result: answered, answer: { ...miss, fetchedAt: 1 } }),
    50,
  );
  expect(await attempt).toMatchObject({ verdict: { kind: 'miss' } });
  expect(reservation.isHeld).toBe(false);
  await worker.close();
});

testWithRedis('a stop does not wait for ever for an answer in a Redis that is away', async () => {
  const look = () => new Promise<never>(() => {});
  const { attempt, reservation, runStop, tell, answered } = await openAsked({ look });
  tell({ kind: 'result', result: answered });
  setTimeout(() => runStop.stop(stop), 50);
  await expect(attempt).rejects.toThrow(UnansweredError);
  expect(reservation.isHeld).toBe(false);
});

for (const isMissed of [false, true]) {
  const pays = isMissed ? 'pays nothing' : 'pays';
  const workers = isMissed ? 'miss the run' : 'wait for the run';
  testWithRedis(
    `a stop ${pays} for a job in a Redis that it cannot reach, where workers ${workers}`,
    async () => {
      const redis = { status: 'reconnecting' } as Share['redis'];
      const away = { redis, awaySinceMs: () => 0, isMissed: () => isMissed };
      const { attempt, reservation, runStop } = await openAsked({}, call, away);
      runStop.stop(stop);
      await expect(attempt).rejects.toThrow(isMissed ? stop : UnansweredError);
      expect(reservation.isHeld).toBe(isMissed);
    },
  );
}

testWithRedis('a call that is too long for any worker is told, and not waited for', async () => {
  const long = { operation: 'people', body: { position: 'x'.repeat(300_000) } } as const;
  const { attempt, reservation } = await openAsked({}, long);
  await expect(attempt).rejects.toMatchObject({ code: 'JOB_INVALID' });
  expect(reservation.isHeld).toBe(true);
});
