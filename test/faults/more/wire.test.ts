import { describe, expect } from 'vitest';
import type { Reaction } from '../../support/hostile-server.ts';
import { faultCase } from '../support/fault-case.ts';
import { expectNothingLost } from '../support/oracle.ts';
import { defaultShape, type Shape } from '../support/sample-job.ts';
import { expectToEnd } from '../support/trouble.ts';
import { openWorld } from '../support/world.ts';

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
});
