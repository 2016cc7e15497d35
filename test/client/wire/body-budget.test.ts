import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type BodyBudget, openBodyBudget } from '../../../src/client/wire/body-budget.ts';

const { signal } = new AbortController();

function openShare(bodies: BodyBudget) {
  const share = { bytes: 0 };
  return {
    take: (bytes: number) => bodies.take(share, bytes),
    onRoom: (goOn: () => void) => bodies.onRoom(share, goOn),
    reserve: (bytes: number) => bodies.reserve(share, bytes),
    giveBack: (bytes: number) => bodies.giveBack(share, bytes),
    close: (keptBytes: number) => bodies.close(share, keptBytes),
  };
}

test('a body is held back while others take the budget, and goes on when they are stored', () => {
  const bodies = openBodyBudget(100);
  const first = openShare(bodies);
  const second = openShare(bodies);
  expect(first.take(100)).toBe(true);
  first.close(100);
  expect(second.take(1)).toBe(false);
  let hasRoom = false;
  second.onRoom(() => {
    hasRoom = true;
  });
  bodies.free(50);
  expect(hasRoom).toBe(true);
});

test('one of many unfinished bodies goes beyond the budget, since none of them would end', () => {
  const bodies = openBodyBudget(100);
  const [one, other] = [openShare(bodies), openShare(bodies)];
  expect(one.take(60)).toBe(true);
  expect(other.take(60)).toBe(true);
  expect(one.take(1)).toBe(false);
  expect(other.take(60)).toBe(true);
});

test('a body that is given up leaves its bytes to those that wait', async () => {
  const bodies = openBodyBudget(100);
  const [stored, one, other] = [openShare(bodies), openShare(bodies), openShare(bodies)];
  stored.take(10);
  stored.close(10);
  expect(one.take(90)).toBe(true);
  const reserved = other.reserve(50);
  expect(reserved).toBeInstanceOf(Promise);
  one.close(0);
  await reserved;
});

test('no request leaves while a body is held back', async () => {
  const bodies = openBodyBudget(100);
  const [stored, held] = [openShare(bodies), openShare(bodies)];
  stored.take(100);
  stored.close(100);
  expect(bodies.hasRoom()).toBe(false);
  held.take(1);
  held.onRoom(() => held.close(0));
  const leaving = bodies.untilRoom(signal);
  bodies.free(100);
  await leaving;
  expect(bodies.hasRoom()).toBe(true);
});

test('however bodies come, all of them end, and their bytes stay bounded', async () => {
  const body = fc.record({
    chunks: fc.array(fc.integer({ min: 1, max: 10 }), { minLength: 1, maxLength: 12 }),
    unfolded: fc.integer({ min: 0, max: 120 }),
    isKept: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(body, { maxLength: 20 }), fc.scheduler(), async (all, s) => {
      const bodies = openBodyBudget(100);
      let spent = 0;
      let most = 0;
      const count = (bytes: number) => {
        spent += bytes;
        most = Math.max(most, spent);
      };
      const receive = async ({ chunks, unfolded, isKept }: (typeof all)[number]) => {
        const share = openShare(bodies);
        let own = 0;
        for (const bytes of chunks) {
          await s.schedule(Promise.resolve());
          own += bytes;
          count(bytes);
          if (!share.take(bytes)) await new Promise<void>((resolve) => share.onRoom(resolve));
        }
        await share.reserve(unfolded);
        count(unfolded);
        await s.schedule(Promise.resolve());
        share.giveBack(own);
        count(-own);
        share.close(isKept ? unfolded : 0);
        if (!isKept) return count(-unfolded);
        await s.schedule(Promise.resolve());
        bodies.free(unfolded);
        count(-unfolded);
      };
      await s.waitFor(Promise.all(all.map(receive)));
      expect(spent).toBe(0);
      expect(bodies.hasRoom()).toBe(true);
      // The budget, the one body that may go beyond it, and a chunk of each other.
      expect(most).toBeLessThanOrEqual(100 + 240 + 10 * all.length);
    }),
  );
});
