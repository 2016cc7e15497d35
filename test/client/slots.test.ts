import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openSlots } from '../../src/client/slots.ts';

const noAbort = new AbortController().signal;

test('no more slots are out than there are, and each comes back', async () => {
  const slots = openSlots(2);
  let inUse = 0;
  let most = 0;
  const work = async () => {
    const slot = await slots.take(noAbort);
    inUse += 1;
    most = Math.max(most, inUse);
    await Promise.resolve();
    inUse -= 1;
    slot.giveBack();
  };
  await Promise.all(Array.from({ length: 20 }, work));
  expect(most).toBe(2);
});

test('an abort while waiting leaks no slot', async () => {
  const slots = openSlots(1);
  const held = await slots.take(noAbort);
  const controller = new AbortController();
  const waiting = slots.take(controller.signal);
  controller.abort();
  await expect(waiting).rejects.toThrow();
  held.giveBack();
  await expect(slots.take(noAbort)).resolves.toBeDefined();
});

test('an abort ends the wait at once, while every slot is in use', async () => {
  const slots = openSlots(1);
  await slots.take(noAbort);
  const controller = new AbortController();
  const waiting = slots.take(controller.signal);
  controller.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
});

test('all that follows from an answer has happened before its slot goes to the next', async () => {
  const slots = openSlots(1);
  const held = await slots.take(noAbort);
  const story: string[] = [];
  const next = slots.take(noAbort).then(() => story.push('the next has left'));
  held.giveBack();
  for (let step = 0; step < 20; step += 1) await Promise.resolve();
  story.push('the run is stopped');
  await next;
  expect(story).toEqual(['the run is stopped', 'the next has left']);
});

test('whatever happens, all slots are in use while somebody waits, first come, first served', async () => {
  const step = fc.oneof(
    fc.constantFrom('ask' as const, 'give back' as const, 'pause' as const),
    fc.record({ abort: fc.nat(20) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.array(step), async (count, steps) => {
      const slots = openSlots(count);
      const controllers: AbortController[] = [];
      const served: number[] = [];
      const waiting = new Set<number>();
      const held: (() => void)[] = [];
      for (const what of steps) {
        if (what === 'ask') {
          const who = controllers.length;
          const controller = new AbortController();
          controllers.push(controller);
          waiting.add(who);
          slots.take(controller.signal).then(
            ({ giveBack }) => {
              waiting.delete(who);
              served.push(who);
              held.push(giveBack);
            },
            () => waiting.delete(who),
          );
        } else if (what === 'give back') held.shift()?.();
        else if (what === 'pause') await nextTurn();
        else controllers[what.abort]?.abort();
      }
      await nextTurn();
      expect(held.length).toBeLessThanOrEqual(count);
      if (held.length < count) expect(waiting).toEqual(new Set());
      expect(served).toEqual(served.toSorted((a, b) => a - b));
    }),
    { numRuns: 500 },
  );
});
