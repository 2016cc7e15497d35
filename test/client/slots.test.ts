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
