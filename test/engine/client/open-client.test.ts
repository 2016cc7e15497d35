import { describe, expect, test } from 'vitest';
import { UnansweredError } from '../../../src/core/errors.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { companyCall, noAbort, openTestClient } from '../../support/client-under-test.ts';
import { openHostileServer } from '../../support/hostile-server.ts';

const hit = { body: '{"id":"7"}' };

/** A server that delays every answer until it is released. */
async function openHoldingServer(reaction = hit) {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: full, resolve: isFull } = Promise.withResolvers<void>();
  const server = await openHostileServer(async ({ path }, index) => {
    if (path.includes('refuse')) return { status: 401 };
    if (index === 1) isFull();
    await released;
    return reaction;
  });
  return { server, release, full, [Symbol.asyncDispose]: server[Symbol.asyncDispose] };
}

const refusedCall = {
  ...companyCall,
  identifier: { kind: 'fqdn', value: 'refuse.com' },
} as const;

describe('after a stop', () => {
  test('answers on the wire arrive, waiting calls throw and nothing new is sent', async () => {
    await using holding = await openHoldingServer();
    await using client = openTestClient(holding.server.url, { concurrency: 3 });
    const onTheWire = [client.send(companyCall, noAbort), client.send(companyCall, noAbort)];
    await holding.full;
    const refused = client.send(refusedCall, noAbort);
    const inLine = client.send(companyCall, noAbort);
    const refusal = { code: 'KEY_REFUSED' };
    expect(await Promise.allSettled([refused, inLine])).toMatchObject([
      { status: 'rejected', reason: refusal },
      { status: 'rejected', reason: refusal },
    ]);
    holding.release();
    expect(await Promise.all(onTheWire)).toMatchObject([{ kind: 'hit' }, { kind: 'hit' }]);
    await expect(client.send(companyCall, noAbort)).rejects.toMatchObject(refusal);
    expect(holding.server.seen).toHaveLength(3);
  });
});

describe('an abort gives up at once', () => {
  test('on the wire', async () => {
    await using holding = await openHoldingServer();
    await using client = openTestClient(holding.server.url);
    const controller = new AbortController();
    const sends = [1, 2].map(() => client.send(companyCall, controller.signal));
    await holding.full;
    controller.abort(new Error('enough'));
    const reason = new UnansweredError(new Error('enough'));
    const givenUp = { status: 'rejected', reason };
    expect(await Promise.allSettled(sends)).toEqual([givenUp, givenUp]);
  });

  test('at the closed gate, before the next attempt and in line for a permit', async () => {
    const waits = [
      [{ status: 429, headers: { 'retry-after': '50' } }, 'service.throttled', 'none'],
      [{ status: 500 }, 'retry.scheduled', 'none'],
      [{ status: 200, ...hit }, 'attempt.made', 0.5],
    ] as const;
    for (const [reaction, sign, rate] of waits) {
      await using server = await openHostileServer(reaction);
      const controller = new AbortController();
      await using client = openTestClient(server.url, {
        clock: systemClock,
        rate,
        onEvent: ({ type }) => {
          if (type === sign) setImmediate(() => controller.abort(new Error('enough')));
        },
      });
      const sends = [client.send(companyCall, controller.signal)];
      if (rate !== 'none') sends.push(client.send(companyCall, controller.signal));
      const outcomes = await Promise.allSettled(sends);
      expect(outcomes.at(-1)).toMatchObject({ status: 'rejected', reason: new Error('enough') });
      expect(server.seen).toHaveLength(1);
    }
  });
});
