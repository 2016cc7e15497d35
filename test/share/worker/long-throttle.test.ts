import { expect } from 'vitest';
import { type CallRequest, canonicalCall } from '../../../src/contract/call.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
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
const hourMs = 3_600_000;

testWithRedis(
  'a service that asks to wait for days holds nobody for more than an hour',
  async () => {
    await using server = await startRedis();
    await using service = await openHostileServer({
      status: 429,
      headers: { 'retry-after': '604800' },
      body: '{}',
    });
    await using share = await openTestShare(server.url, { service: service.url });
    const waits: number[] = [];
    await using _worker = openWorker(share, {
      ...{ baseUrl: service.url, key: account.key, concurrency: 1, timeoutMs: 1_000 },
      clock: systemClock,
      onEvent(event) {
        if (event.type === 'service.throttled') waits.push(event.waitMs);
      },
    });
    await share.queue.add(
      'call',
      {
        ...{
          version: 1,
          call: canonicalCall(call),
          run: share.presence.id,
          askedAt: share.nowMs(),
        },
        ...{ freshFrom: { hit: 0, miss: 0 }, timeoutMs: 1_000, isProven: true, charged: 'answers' },
        ...{ keepMs: 60_000, maxBytes: 1_000_000 },
      },
      { jobId: `${callName(call)}-0` },
    );
    const queueMs = () => share.queue.getRateLimitTtl();
    await expect.poll(queueMs).toBeGreaterThan(hourMs / 2);
    expect(await queueMs()).toBeLessThanOrEqual(hourMs);
    expect((await share.pulse()).closedMs).toBeLessThanOrEqual(hourMs);
    expect(waits).toEqual([hourMs]);
  },
);
