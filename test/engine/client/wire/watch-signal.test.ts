import fc from 'fast-check';
import { expect, test } from 'vitest';
import { watchSignal } from '../../../../src/engine/client/wire/exchange.ts';

test('an abort calls back once to every watcher that has not stopped', () => {
  // True begins to watch; a number stops the watcher of that number.
  const steps = fc.array(fc.oneof(fc.constant(true as const), fc.nat(30)));
  fc.assert(
    fc.property(steps, (taken) => {
      const controller = new AbortController();
      const told: number[] = [];
      const watching = new Set<number>();
      const stops: (() => void)[] = [];
      for (const step of taken) {
        const who = stops.length;
        if (step === true) {
          stops.push(watchSignal(controller.signal, () => told.push(who)));
          watching.add(who);
        } else {
          stops[step]?.();
          watching.delete(step);
        }
      }
      controller.abort();
      for (const stop of stops) stop();
      expect(told.toSorted((a, b) => a - b)).toEqual([...watching]);
    }),
  );
});

test('many watchers are one listener of the signal', () => {
  const { signal } = new AbortController();
  const listeners: string[] = [];
  signal.addEventListener = (type: string) => void listeners.push(type);
  for (let who = 0; who < 100; who += 1) watchSignal(signal, () => {});
  expect(listeners).toEqual(['abort']);
});

test('a watcher that another one stops is not called', () => {
  const controller = new AbortController();
  const told: string[] = [];
  const stops = ['one', 'two'].map((who) =>
    watchSignal(controller.signal, () => {
      told.push(who);
      for (const stop of stops) stop();
    }),
  );
  controller.abort();
  expect(told).toHaveLength(1);
});
