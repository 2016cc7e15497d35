import { expect, test } from 'vitest';
import { systemClock } from '../../../src/core/runtime/clock.ts';
import { companyCall, noAbort, openTestClient } from '../../support/client-under-test.ts';
import { openHostileServer } from '../../support/hostile-server.ts';

const hit = { body: '{"id":"7"}' };

test('the second request of a redirect stays away from a service that throttles', async () => {
  const { promise: isThrottled, resolve: throttle } = Promise.withResolvers<void>();
  await using server = await openHostileServer(async ({ path }, index) => {
    if (path === '/moved' || index > 1) return hit;
    if (index === 1) return { status: 429, headers: { 'retry-after': '0.3' } };
    await isThrottled;
    return { status: 307, headers: { location: '/moved' } };
  });
  await using client = openTestClient(server.url, {
    clock: systemClock,
    onEvent: ({ type }) => type === 'service.throttled' && throttle(),
  });
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
