import { describe, expect, test } from 'vitest';
import type { Call } from '../../../src/core/contract/call.ts';
import { createAdapter } from '../../../src/engine/providers/adapter/adapter.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import {
  companyCall,
  noAbort,
  openTestClient,
  peopleCall,
} from '../../support/client-under-test.ts';
import { openHostileServer, type Reaction } from '../../support/hostile-server.ts';

const hit: Reaction = { body: '{"id":"7","name":"Acme"}' };
const busy: Reaction = { status: 500, body: '{"error":500,"message":"Internal error"}' };

/** Answers with the reactions in turn and with the last one from then on. */
async function settle(reactions: readonly Reaction[], call: Call = companyCall, attempts = 3) {
  await using server = await openHostileServer(
    (_request, index) => reactions[Math.min(index, reactions.length - 1)] ?? {},
  );
  await using client = openTestClient(server.url, { attempts });
  const outcome = await client.send(call, noAbort);
  return { outcome, events: client.events, sleeps: client.sleeps, requests: server.seen.length };
}

describe('a failure that may pass is tried again', () => {
  test.each<[string, Reaction]>([
    ['a 500', busy],
    ['a body cut short without a length', { truncate: 'close-delimited', body: '{"id":"7"}' }],
  ])('%s', async (_what, reaction) => {
    const { outcome, events } = await settle([reaction, hit]);
    expect(outcome).toMatchObject({ kind: 'hit', attempts: 2 });
    const { status } = reaction;
    expect(events).toMatchObject([
      { type: 'attempt.made', verdict: 'transient', ...(status && { status }) },
      { type: 'retry.scheduled' },
      { type: 'attempt.made', operation: 'company', verdict: 'hit', status: 200 },
    ]);
  });
});

describe('a throttled attempt does not count', () => {
  test('however often it happens', async () => {
    const throttled = { status: 429, headers: { 'retry-after': '2' } };
    const { outcome, sleeps } = await settle(
      [throttled, throttled, throttled, hit],
      companyCall,
      1,
    );
    expect(outcome).toMatchObject({ kind: 'hit', attempts: 1 });
    expect(sleeps).toEqual([2_000, 2_000, 2_000]);
  });

  test('until the run has waited for maxWait, also if only an adapter calls it throttled', async () => {
    const company = { fqdn: { method: 'GET', path: '/{value}', query: {} } } as const;
    const provider = createAdapter({
      ...{ name: 'second', url: 'http://x', auth: 'bearer', headers: {}, company, record: '' },
      ...{ answers: { throttled: [{ status: 503 }] }, charged: 'hits', fields: {} },
    });
    await using server = await openHostileServer(() => ({ status: 503, body: '{}' }));
    await using client = openTestClient(server.url, { provider, maxWaitMs: 900_000 });
    await expect(client.send(companyCall, noAbort)).rejects.toMatchObject({
      code: 'THROTTLED_TOO_LONG',
      message: expect.stringMatching(/throttled every call for 14m .*at most 15m in all/),
    });
  });

  test('and a call that alone is throttled for maxWait fails, while others go on', async () => {
    await using server = await openHostileServer(({ path }) =>
      path.includes('acme') ? { status: 429 } : hit,
    );
    await using client = openTestClient(server.url);
    let isSettled = false;
    const settled = client.send(companyCall, noAbort).finally(() => {
      isSettled = true;
    });
    const identifier = { kind: 'fqdn', value: 'other.com.au' } as const;
    for (let calls = 0; calls < 300 && !isSettled; calls += 1)
      await client.send({ ...companyCall, identifier }, noAbort);
    client.stop(new Error('it was throttled all the time'));
    expect(await settled).toMatchObject({
      kind: 'failed',
      reason: expect.stringMatching(/^the service throttled only this call, for 1m/),
    });
  });

  test('and the waits grow if the service names none', async () => {
    const throttled = { body: '{"success":false,"error":{"code":"RATE_LIMITED"}}' };
    const { sleeps } = await settle([throttled, throttled, throttled, hit]);
    expect(sleeps).toEqual([1_000, 2_000, 4_000]);
  });
});

async function sendThree(reaction: Reaction, call: Call): Promise<void> {
  await using server = await openHostileServer(reaction);
  await using client = openTestClient(server.url);
  for (let calls = 0; calls < 3; calls += 1) await client.send(call, noAbort);
  client.requireAnswers();
}

describe('the run stops', () => {
  test.each<[string, Reaction, object]>([
    [
      'when the key is refused',
      { status: 401, body: '{"error":401,"message":"Invalid key"}' },
      { code: 'KEY_REFUSED', message: 'the service refused the key: Invalid key' },
    ],
    [
      'when the quota is spent',
      { status: 403, body: '{"error":"Monthly quota exceeded"}' },
      { code: 'QUOTA_SPENT', message: 'the service refuses further calls: Monthly quota exceeded' },
    ],
    [
      'when the wait is longer than the job allows',
      { status: 429, headers: { 'retry-after': '3600' } },
      { code: 'THROTTLED_TOO_LONG' },
    ],
    [
      'when throttling does not end',
      { status: 429 },
      {
        code: 'THROTTLED_TOO_LONG',
        message: expect.stringMatching(/throttled every call for \S+; the next wait would be \d/),
      },
    ],
    ['when nothing was ever answered', busy, { code: 'SERVICE_DOWN' }],
    ['when nothing is found at the address', { status: 404 }, { code: 'JOB_REFUSED' }],
    [
      'when a program with other answers lives there',
      { body: '{"status":"maintenance"}' },
      { code: 'SERVICE_DOWN' },
    ],
    [
      'when the service sends us elsewhere',
      { status: 302, headers: { location: 'https://login.example.com/?next=1' } },
      { code: 'SERVICE_DOWN', message: expect.stringContaining('https://login.example.com') },
    ],
  ])('%s', async (_when, reaction, error) => {
    await expect(sendThree(reaction, companyCall)).rejects.toMatchObject(error);
    await expect(sendThree(reaction, peopleCall)).rejects.toMatchObject(error);
  });

  test('when more than half of the last hundred attempts failed', async () => {
    await using server = await openHostileServer((_request, index) => (index < 60 ? hit : busy));
    await using client = openTestClient(server.url, { attempts: 3 });
    const sendMany = async () => {
      for (;;) await client.send(companyCall, noAbort);
    };
    await expect(sendMany()).rejects.toMatchObject({ code: 'SERVICE_DOWN' });
    expect(server.seen).toHaveLength(60 + 51);
  });
});

describe('the limit of attempts at once', () => {
  test('a call that waits for its next attempt lets another one go first', async () => {
    await using server = await openHostileServer(({ path }) =>
      path.includes('acme') ? busy : hit,
    );
    const { promise: waiting, resolve: waits } = Promise.withResolvers<void>();
    const controller = new AbortController();
    const client = openTestClient(server.url, {
      concurrency: 1,
      clock: { ...systemClock, sleep: (_ms, signal) => systemClock.sleep(60_000, signal) },
      onEvent: ({ type }) => type === 'retry.scheduled' && waits(),
    });
    const retried = client.send(companyCall, controller.signal);
    await waiting;
    const other = { ...companyCall, identifier: { kind: 'fqdn', value: 'other.com.au' } } as const;
    expect(await client.send(other, noAbort)).toMatchObject({ kind: 'hit' });
    controller.abort(new Error('enough'));
    await expect(retried).rejects.toThrow('enough');
    await client[Symbol.asyncDispose]();
  });
});
