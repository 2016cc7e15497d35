import { describe, expect } from 'vitest';
import type { Reaction } from '../support/hostile-server.ts';
import { faultCase } from './support/fault-case.ts';
import { expectNothingLost } from './support/oracle.ts';
import { defaultShape, type Shape } from './support/sample-job.ts';
import { faultSchedule, openTcpProxy } from './support/tcp-proxy.ts';
import { expectToEnd, expectToStop } from './support/trouble.ts';
import { openWorld } from './support/world.ts';

const truth = JSON.stringify({ id: 'c_lost', name: 'An answer that never arrives whole' });

/** Ways in which a connection breaks an answer. The next attempt gets the true answer. */
const breakdowns: readonly Reaction[] = [
  { neverAnswer: true },
  { drip: 'head', body: truth },
  { drip: 'body', body: truth.repeat(20) },
  { reset: 'before head' },
  { reset: 'within body', body: truth },
  { hangUp: true },
  { truncate: 'content-length', body: truth },
  { truncate: 'chunked', body: truth },
  { truncate: 'close-delimited', body: truth },
  { status: 101 },
  { status: 200, headers: { 'content-length': '-1' } },
  { status: 200, headers: { 'content-encoding': 'gzip' }, body: truth },
];

/** Shared by most cases, so that the untroubled run for comparison is made once. */
const shape: Shape = {
  ...defaultShape,
  people: 1,
  job: { limits: { attempts: 8, timeout: '3s' } },
};

describe('a wire that breaks', () => {
  faultCase(
    'silence, drips, resets, hang-ups and truncation cost an attempt and nothing else',
    async (seed) => {
      const troubled = new Set<string>();
      await using world = await openWorld(shape, ({ method, path, body }) => {
        const call = `${method} ${path} ${body}`;
        // A third of the calls fail once: more failures would trip the circuit breaker.
        if (troubled.has(call) || seed.random(3) > 0) return undefined;
        troubled.add(call);
        return breakdowns[troubled.size % breakdowns.length];
      });
      expectToEnd(await world.run());
      expect(troubled.size).toBeGreaterThan(breakdowns.length);
      await expectNothingLost(world);
    },
    { long: 5 },
  );

  faultCase(
    'a proxy that delays, slices, resets, cuts and hangs loses no row',
    async (seed) => {
      await using world = await openWorld(shape);
      await using proxy = await openTcpProxy(world.url, faultSchedule(seed));
      expectToEnd(await world.run({ env: { DOSSIER_URL: proxy.url } }));
      expect(proxy.broken()).toBeGreaterThan(0);
      await expectNothingLost(world, { lostAnswers: proxy.broken() });
    },
    { short: 0, long: 40 },
  );

  faultCase(
    'a network that goes down in the middle of a run and comes back',
    async (seed) => {
      const limits = { attempts: 2, timeout: '2s' };
      await using world = await openWorld({ rows: 60, people: 1, job: { limits } });
      await using proxy = await openTcpProxy(world.url, () => ({ kind: 'none' }));
      const env = { DOSSIER_URL: proxy.url };
      const running = world.start({ env });
      await world.untilAsked(1 + seed.random(40));
      await proxy.down();
      const ended = await running.ended;
      // The calls that are left may be too few to trip the circuit breaker.
      if (ended.by !== 3) expectToStop(ended, 'SERVICE_DOWN', /connection (refused|lost)/);
      await proxy.up();
      // The next run makes the calls that failed before the circuit breaker tripped.
      const resumed = await world.run({ env });
      if (resumed.by !== 0) expectToEnd(await world.run({ env }));
      await expectNothingLost(world, { lostAnswers: world.shape.concurrency });
    },
    { short: 0, long: 20 },
  );
});
