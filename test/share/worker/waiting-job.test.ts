import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { type CallRequest, canonicalCall } from '../../../src/contract/call.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
import type { CallMessage } from '../../../src/share/messages/call-message.ts';
import { callName } from '../../../src/share/messages/call-name.ts';
import { openWorker } from '../../../src/share/worker/open-worker.ts';
import { openHostileServer } from '../../support/hostile-server.ts';
import { startRedis, testWithRedis } from '../../support/redis.ts';
import { account, openTestShare } from '../support/open-test-share.ts';

const call: CallRequest = {
  operation: 'company',
  identifier: { kind: 'fqdn', value: 'acme.com' },
  country: 'AU',
};

testWithRedis('a call that waits for a permit does not leave once its run has gone', async () => {
  await using server = await startRedis();
  await using service = await openHostileServer({ status: 404, body: '{}' });
  const { url } = service;
  await using share = await openTestShare(server.url, { kind: 'worker', service: url });
  const options = { key: account.key, concurrency: 2, timeoutMs: 1_000, clock: systemClock };
  await using worker = openWorker(share, { ...options, baseUrl: url });
  await worker.ready();
  // The permit of the first comes after a moment, and that of the second not at all.
  for (const [generation, closedMs] of [400, 60_000].entries()) {
    const run = await openTestShare(server.url, { service: url });
    const message: CallMessage = {
      ...{ version: 1, call: canonicalCall(call), run: run.presence.id, askedAt: run.nowMs() },
      ...{ freshFrom: { hit: 0, miss: 0 }, timeoutMs: 1_000, isProven: true, charged: 'answers' },
      ...{ keepMs: 60_000, maxBytes: 1_000_000 },
    };
    await share.window.close(closedMs);
    const jobId = `${callName(call)}-${generation}`;
    await run.queue.add('call', message, { jobId });
    await expect.poll(worker.active).toBe(1);
    await delay(50);
    await run.presence.leave();
    const result = async () => (await share.queue.getJob(jobId))?.returnvalue;
    await expect.poll(result, { timeout: 5_000 }).toEqual({ kind: 'unwanted' });
    await run[Symbol.asyncDispose]();
  }
  expect(service.seen).toEqual([]);
});
