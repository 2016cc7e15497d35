import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/core/runtime/clock.ts';
import { makeAttempt } from '../../../src/engine/client/make-attempt.ts';
import { type ClientParts, openParts } from '../../../src/engine/client/open-client.ts';
import { companyCall, noAbort, openTestClient, testKey } from '../../support/client-under-test.ts';
import { openFakeClock } from '../../support/fake-clock.ts';
import { openHostileServer } from '../../support/hostile-server.ts';

const hit = { body: '{"id":"7"}' };

test('fifty calls throttled at once are followed by silence, and then all are answered', async () => {
  const { promise: allArrived, resolve: lastArrived } = Promise.withResolvers<void>();
  await using server = await openHostileServer(async (_request, index) => {
    if (index >= 50) return hit;
    if (index === 49) lastArrived();
    await allArrived;
    return { status: 429, headers: { 'retry-after': '0.3' } };
  });
  await using client = openTestClient(server.url, { concurrency: 50, clock: systemClock });
  const sends = Array.from({ length: 50 }, () => client.send(companyCall, noAbort));
  const outcomes = await Promise.all(sends);
  expect(outcomes.map(({ kind }) => kind)).toEqual(Array(50).fill('hit'));
  expect(outcomes.map(({ attempts }) => attempts)).toEqual(Array(50).fill(1));
  expect(server.seen).toHaveLength(100);
  const [last = 0, next = 0] = server.seen.slice(49, 51).map(({ atMs }) => atMs);
  expect(next - last).toBeGreaterThanOrEqual(300);
});

test('the second request of a redirect stays away from a service that throttles', async () => {
  const { promise: isThrottled, resolve: throttle } = Promise.withResolvers<void>();
  await using server = await openHostileServer(async ({ path }, index) => {
    if (path === '/moved' || index > 1) return hit;
    if (index === 1) {
      throttle();
      return { status: 429, headers: { 'retry-after': '0.3' } };
    }
    await isThrottled;
    // Long enough for the client to have read the other answer.
    await systemClock.sleep(50);
    return { status: 307, headers: { location: '/moved' } };
  });
  await using client = openTestClient(server.url, { clock: systemClock });
  await Promise.all([client.send(companyCall, noAbort), client.send(companyCall, noAbort)]);
  const [, throttled, next] = server.seen;
  expect(server.seen.map(({ path }) => path)).toContain('/moved');
  expect((next?.atMs ?? 0) - (throttled?.atMs ?? 0)).toBeGreaterThanOrEqual(300);
});

test('no more calls are on the wire than the job allows', async () => {
  let onTheWire = 0;
  let most = 0;
  await using server = await openHostileServer(async () => {
    onTheWire += 1;
    most = Math.max(most, onTheWire);
    await systemClock.sleep(5);
    onTheWire -= 1;
    return hit;
  });
  await using client = openTestClient(server.url, { concurrency: 3 });
  await Promise.all(Array.from({ length: 40 }, () => client.send(companyCall, noAbort)));
  expect(most).toBe(3);
  expect(server.connections()).toBe(3);
});

test('every attempt is told with its status and verdict', async () => {
  await using server = await openHostileServer(
    (_request, index) => [{ reset: 'before head' } as const, { status: 503 }, hit][index] ?? {},
  );
  await using client = openTestClient(server.url);
  await client.send(companyCall, noAbort);
  const attempts = client.events.filter(({ type }) => type === 'attempt.made');
  expect(attempts).toMatchObject([
    { operation: 'company', verdict: 'transient' },
    { operation: 'company', verdict: 'transient', status: 503 },
    { operation: 'company', verdict: 'hit', status: 200 },
  ]);
  expect(attempts[0]).not.toHaveProperty('status');
});

describe('what happens while a call stands in line for its permit', () => {
  /** The parts of a client whose line for permits can be made to take part in the story. */
  function openLine(baseUrl: string, onTake: (parts: ClientParts) => void) {
    const clock = openFakeClock();
    const returned: string[] = [];
    const limits = { concurrency: 1, timeoutMs: 5_000, attempts: 1, maxWaitMs: 60_000 };
    const options = { baseUrl, key: testKey, rate: 'none', ...limits, clock } as const;
    const parts = openParts(options, undefined);
    const { take } = parts.permits;
    let isFirst = true;
    parts.permits.take = async (signal) => {
      const permit = await take(signal);
      if (isFirst) onTake(parts);
      isFirst = false;
      return { ...permit, release: () => void returned.push('permit') };
    };
    const attempt = () => makeAttempt(parts, companyCall, { isHeld: true }, noAbort);
    const close = parts[Symbol.asyncDispose];
    return { attempt, returned, sleeps: clock.sleeps, [Symbol.asyncDispose]: close };
  }

  test('a stop of the run keeps it from leaving', async () => {
    await using server = await openHostileServer(hit);
    await using parts = openLine(server.url, ({ runStop }) => runStop.stop(new Error('over')));
    await expect(parts.attempt()).rejects.toThrow('over');
    expect(parts.returned).toEqual(['permit']);
    expect(server.seen).toHaveLength(0);
  });

  test('a throttle holds it back', async () => {
    await using server = await openHostileServer(hit);
    await using parts = openLine(server.url, ({ permits }) =>
      permits.noteThrottled(0, 3_000, false),
    );
    expect(await parts.attempt()).toMatchObject({ verdict: { kind: 'hit' } });
    expect(parts.sleeps).toEqual([3_000]);
  });
});

describe('the key is in no text', () => {
  const echoes = [
    testKey,
    encodeURIComponent(testKey),
    Buffer.from(testKey).toString('base64'),
  ].map((form) => `Bearer ${form} is wrong`);

  test.each([400, 401, 403, 500])('even when the service echoes it with %i', async (status) => {
    for (const echo of echoes) {
      for (const body of [JSON.stringify({ error: status, message: echo }), echo]) {
        await using server = await openHostileServer({ status, body });
        await using client = openTestClient(server.url);
        const told = await client.send(companyCall, noAbort).catch((error: Error) => ({
          message: error.message,
          stack: error.stack,
        }));
        const text = JSON.stringify([told, client.events]);
        expect(text).toContain('[redacted]');
        for (const form of [testKey, Buffer.from(testKey).toString('base64')]) {
          expect(text).not.toContain(form);
        }
      }
    }
  });

  test('nor when a redirect carries it', async () => {
    const location = `https://${testKey}.example.com/`;
    await using server = await openHostileServer({ status: 302, headers: { location } });
    await using client = openTestClient(server.url);
    const outcome = await client.send(companyCall, noAbort);
    expect(outcome).toMatchObject({ kind: 'failed', reason: expect.not.stringContaining(testKey) });
  });
});
