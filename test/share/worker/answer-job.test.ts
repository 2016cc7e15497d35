import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import type { CallRequest } from '../../../src/contract/call.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
import { callName } from '../../../src/share/messages/call-name.ts';
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

testWithRedis(
  'a worker says that answers which no run has stored keep calls waiting, and goes on after it',
  async () => {
    await using server = await startRedis();
    await using service = await openHostileServer({ status: 404, body: '{}' });
    const baseUrl = service.url;
    await using run = await openTestShare(server.url, { service: baseUrl });
    const maxBytes = 1_500;
    const body = randomBytes(2 * maxBytes);
    await run.answers.end('unstored', 0, {
      ...{ kind: 'miss', status: 404, body, durationMs: 1, paidBy: run.presence.id },
      ...{ keepMs: 60_000, maxBytes },
    });

    await using joined = await openTestShare(server.url, { service: baseUrl });
    const troubles: string[] = [];
    await using _worker = openWorker(joined, {
      ...{ baseUrl, key: account.key, concurrency: 1, timeoutMs: 1_000, clock: systemClock },
      onTrouble: ({ message }) => troubles.push(message),
    });
    const jobId = `${callName(call)}-0`;
    await run.queue.add('call', callMessage(run, call, { maxBytes }), { jobId });
    await expect.poll(() => troubles).not.toEqual([]);
    expect(troubles[0]).toContain('take all of service.share.memory');
    expect(service.seen).toEqual([]);

    await run.answers.acknowledge(['unstored']);
    const result = async () => (await run.queue.getJob(jobId))?.returnvalue;
    await expect.poll(result).toMatchObject({ kind: 'answered' });
    expect(service.seen.length).toBe(1);
  },
);
