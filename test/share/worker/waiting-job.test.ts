import { expect } from 'vitest';
import type { CallRequest } from '../../../src/contract/call.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
import { callName } from '../../../src/share/messages/call-name.ts';
import type { Share } from '../../../src/share/open-share.ts';
import { openWorker } from '../../../src/share/worker/open-worker.ts';
import { openHostileServer } from '../../support/hostile-server.ts';
import { startRedis, testWithRedis } from '../../support/redis.ts';
import { callMessage } from '../support/call-message.ts';
import { account, openTestShare } from '../support/open-test-share.ts';

const call: CallRequest = {
  operation: 'company',
  identifier: { kind: 'fqdn', value: 'acme.com' },
  country: 'AU',
};

/** How long a throttle lasts, and the answer of Redis at which the run of the call goes. */
const cases = [
  { closedMs: 400, goesAt: 'taken' },
  { closedMs: 60_000, goesAt: 'wait' },
] as const;

testWithRedis('a call that waits for a permit does not leave once its run has gone', async () => {
  await using server = await startRedis();
  await using service = await openHostileServer({ status: 404, body: '{}' });
  const baseUrl = service.url;
  for (const [generation, { closedMs, goesAt }] of cases.entries()) {
    await using run = await openTestShare(server.url, { service: baseUrl });
    await using joined = await openTestShare(server.url, { service: baseUrl });
    await joined.pulse();
    const share: Share = {
      ...joined,
      permits: {
        ...joined.permits,
        async take(signal) {
          joined.permits.noteThrottled(0, closedMs);
          await expect.poll(joined.permits.closedMs).toBeGreaterThan(0);
          if (goesAt === 'wait') await run.presence.leave();
          const permit = await joined.permits.take(signal);
          await run.presence.leave();
          return permit;
        },
      },
    };
    const options = { key: account.key, concurrency: 1, timeoutMs: 1_000, clock: systemClock };
    await using _worker = openWorker(share, { ...options, baseUrl });
    const jobId = `${callName(call)}-${generation}`;
    await run.queue.add('call', callMessage(run, call), { jobId });
    const result = async () => (await run.queue.getJob(jobId))?.returnvalue;
    await expect.poll(result).toEqual({ kind: 'unwanted' });
  }
  expect(service.seen).toEqual([]);
});
