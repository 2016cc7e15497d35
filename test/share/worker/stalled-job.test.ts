import { expect } from 'vitest';
import { type CallRequest, canonicalCall } from '../../../src/contract/call.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
import { callName } from '../../../src/share/messages/call-name.ts';
import { queueName, type Share } from '../../../src/share/open-share.ts';
import { openWorker } from '../../../src/share/worker/open-worker.ts';
import { openHostileServer } from '../../support/hostile-server.ts';
import { startRedis, testWithRedis } from '../../support/redis.ts';
import { account, openTestShare } from '../support/open-test-share.ts';

const call: CallRequest = {
  operation: 'company',
  identifier: { kind: 'fqdn', value: 'acme.com' },
  country: 'AU',
};
const jobId = `${callName(call)}-0`;

/** What Redis does with a job whose worker has not renewed its lock. */
async function stall({ redis, keys }: Share): Promise<void> {
  const queue = `${keys.prefix}:${queueName}`;
  await redis.del(`${queue}:${jobId}:lock`);
  await redis.hincrby(`${queue}:${jobId}`, 'stc', 1);
  await redis.lrem(`${queue}:active`, 1, jobId);
  await redis.rpush(`${queue}:wait`, jobId);
  await redis.zadd(`${queue}:marker`, 0, '0');
}

testWithRedis('a job that its worker could not hold is asked once while it is at it', async () => {
  await using server = await startRedis();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await using service = await openHostileServer(async () => {
    await released;
    return { status: 404, body: '{}' };
  });
  const baseUrl = service.url;
  await using share = await openTestShare(server.url, { service: baseUrl });
  await using _worker = openWorker(share, {
    ...{ baseUrl, key: account.key, concurrency: 2, timeoutMs: 10_000, clock: systemClock },
  });
  await share.queue.add(
    'call',
    {
      ...{ version: 1, call: canonicalCall(call), run: share.presence.id, askedAt: share.nowMs() },
      ...{ freshFrom: { hit: 0, miss: 0 }, timeoutMs: 10_000, isProven: true, charged: 'answers' },
      ...{ keepMs: 60_000, maxBytes: 1_000_000 },
    },
    { jobId },
  );
  await expect.poll(() => service.seen.length).toBe(1);
  await stall(share);
  const isDelayed = async () => (await share.queue.getJobCounts('delayed')).delayed === 1;
  await expect.poll(isDelayed).toBe(true);
  release();
  const result = async () => (await share.queue.getJob(jobId))?.returnvalue;
  await expect.poll(result).toMatchObject({ kind: 'answered' });
  expect(service.seen).toHaveLength(1);
});
