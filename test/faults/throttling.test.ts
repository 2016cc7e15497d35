import { describe, expect } from 'vitest';
import type { Reaction } from '../support/hostile-server.ts';
import { expectToEnd, expectToStop } from './support/expect-stop.ts';
import { faultCase } from './support/fault-case.ts';
import { expectNothingLost } from './support/oracle.ts';
import type { Shape } from './support/sample-job.ts';
import { openWorld } from './support/world.ts';

const onlyLong = { rounds: { short: 0, long: 1 } };
const limits = { attempts: 1, maxWait: '20s' };

function throttled(retryAfter?: string): Reaction {
  return { status: 429, body: '{}', headers: retryAfter ? { 'retry-after': retryAfter } : {} };
}

describe('a service that throttles', () => {
  faultCase('50 calls at once with Retry-After 3: silence, and no attempt is charged', async () => {
    const burst = 50;
    const shape = { rows: 80, people: undefined, concurrency: burst, job: { limits } };
    await using world = await openWorld(shape, (_, index) =>
      index < burst ? throttled('3') : undefined,
    );
    expectToEnd(await world.run());
    const asked = world.asked();
    const toldAtMs = asked.slice(0, burst).map(({ answeredAtMs = 0 }) => answeredAtMs);
    expect((asked[burst]?.atMs ?? 0) - Math.max(...toldAtMs)).toBeGreaterThanOrEqual(3_000);
    await expectNothingLost(world);
  });

  const shape: Partial<Shape> = { rows: 20, people: undefined, job: { limits } };
  const soon = () => new Date(Date.now() + 1_500).toUTCString();

  faultCase(
    'Retry-After as a date, 0, negative, junk or nothing is a short wait',
    async () => {
      const spellings = [soon, () => '0', () => '-5', () => 'soon, I hope', () => ''];
      // The throttles are apart from each other, so the waits that Dossier chooses do not grow.
      const places = new Map(spellings.map((spelling, index) => [3 + index * 3, spelling]));
      await using world = await openWorld({ ...shape, concurrency: 1 }, (_, index) => {
        const spelling = places.get(index);
        return spelling && throttled(spelling());
      });
      expectToEnd(await world.run());
      await expectNothingLost(world);
    },
    onlyLong,
  );

  const tooLong: [string, string][] = [
    ['asks to wait 1d; the job waits 20s at most', '86400'],
    ['asks to wait 3652d', new Date(Date.now() + 3_652.5 * 86_400_000).toUTCString()],
    ['asks to wait forever', '9'.repeat(400)],
  ];
  faultCase(
    'Retry-After longer than the job waits stops the run, which goes on later',
    async (seed) => {
      const [sentence, retryAfter] = tooLong[seed.value % tooLong.length] ?? ['', ''];
      let isThrottling = true;
      await using world = await openWorld(shape, (_, index) =>
        isThrottling && index >= 5 ? throttled(retryAfter) : undefined,
      );
      expectToStop(await world.run(), 'THROTTLED_TOO_LONG', sentence);
      isThrottling = false;
      expectToEnd(await world.run());
      await expectNothingLost(world);
    },
    { rounds: { short: 0, long: tooLong.length } },
  );

  faultCase(
    '429 for ever stops the run after the longest wait',
    async () => {
      let isThrottling = true;
      await using world = await openWorld(
        { ...shape, job: { limits: { ...limits, maxWait: '2s' } } },
        (_, index) => (isThrottling && index >= 5 ? throttled() : undefined),
      );
      expectToStop(
        await world.run(),
        'THROTTLED_TOO_LONG',
        /has throttled every call for \d+s and asks to wait/,
      );
      isThrottling = false;
      expectToEnd(await world.run());
      await expectNothingLost(world);
    },
    onlyLong,
  );
});
