import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  allowedRate,
  changeState,
  closeGate,
  joinSenders,
  lowerRate,
  type RateState,
  readState,
  releaseSlots,
  takeSlots,
} from '../../../../src/engine/client/rate/rate-state.ts';

const none = Number.POSITIVE_INFINITY;

/** A store of a process with this rate, by a clock that the test sets. */
function createStore(ceiling: number) {
  let text = '';
  let nowMs = 1_000_000;
  const change = (rule: (state: RateState) => void) => {
    text = changeState(text, nowMs, rule);
  };
  return {
    change,
    pass(ms: number) {
      nowMs += ms;
    },
    throttle(sent = 0, agoMs = 0) {
      change((state) => lowerRate(state, { ceiling, leftAtMs: nowMs - agoMs, sent }));
    },
    rate: () => allowedRate(readState(text, nowMs), ceiling).perSecond,
    state: () => readState(text, nowMs),
    take(wanted = 1) {
      let result = { taken: 0, waitMs: 0 };
      change((state) => {
        result = takeSlots(state, allowedRate(state, ceiling).perSecond, wanted, nowMs);
      });
      return result;
    },
  };
}

describe('a throttle', () => {
  test('halves the rate, at most once a second, and never below a tenth of the job’s', () => {
    const store = createStore(40);
    const rates = Array.from({ length: 6 }, () => {
      store.throttle();
      store.throttle();
      store.pass(1_000);
      return Number(store.rate().toFixed(2));
    });
    // Two of 40 a second come back before the next throttle.
    expect(rates).toEqual([22, 13, 8.5, 6.25, 6, 6]);
  });

  test('of a request that left before the rate was lowered says nothing new', () => {
    const store = createStore(40);
    store.throttle();
    store.pass(3_000);
    store.throttle(0, 3_500);
    expect(store.rate()).toBe(26);
  });

  test('is made up for by 5% of the rate a second, and never more than all of it', () => {
    const store = createStore(20);
    store.throttle();
    const rates = [0, 1_000, 4_000, 4_000, 60_000].map((ms) => {
      store.pass(ms);
      return store.rate();
    });
    expect(rates).toEqual([10, 11, 15, 19, 20]);
    store.change(() => {});
    expect(store.state().lowered).toBeUndefined();
  });
});

describe('the gate', () => {
  test('sends nothing during the longest requested wait, and the rate recovers after it', () => {
    const store = createStore(10);
    store.throttle();
    store.change((state) => closeGate(state, 30_000));
    store.change((state) => closeGate(state, 5_000));
    expect(store.take()).toEqual({ taken: 0, waitMs: 30_000 });
    store.pass(30_000);
    expect([store.take().taken, store.rate()]).toEqual([1, 5]);
  });
});

test('the lowest rate of the processes that live holds', () => {
  const store = createStore(50);
  store.change((state) => joinSenders(state, 'slow', 1));
  store.change((state) => joinSenders(state, 'free', none));
  expect(store.rate()).toBe(1);
  store.pass(14_000);
  store.change((state) => joinSenders(state, 'slow', 1));
  store.pass(14_000);
  expect(store.rate()).toBe(1);
  store.pass(1_000);
  expect(store.rate()).toBe(50);
});

test('no second has more requests than the rate, whatever is taken and given back', () => {
  const step = fc.record({
    passMs: fc.nat({ max: 700 }),
    wanted: fc.integer({ min: 1, max: 4 }),
    isReleased: fc.boolean(),
  });
  const rates = fc.oneof(fc.integer({ min: 1, max: 8 }), fc.constantFrom(0.5, 2.3));
  fc.assert(
    fc.property(rates, fc.array(step, { maxLength: 60 }), (rate, steps) => {
      const store = createStore(rate);
      const starts: number[] = [];
      for (const { passMs, wanted, isReleased } of steps) {
        store.pass(passMs);
        const { taken, waitMs } = store.take(wanted);
        const nowMs = store.state().changedAtMs;
        if (taken === 0) {
          // When it says that there will be room, there is.
          store.pass(waitMs);
          expect(store.take().taken).toBe(1);
          starts.push(store.state().changedAtMs);
        } else {
          if (isReleased) store.change((state) => releaseSlots(state, nowMs, 1));
          starts.push(...Array<number>(isReleased ? taken - 1 : taken).fill(nowMs));
        }
      }
      const capacity = Math.ceil(rate);
      const windowMs = (capacity / rate) * 1_000;
      const tooClose = starts.filter(
        (at, index) => (starts[index + capacity] ?? none) - at < windowMs,
      );
      expect(tooClose).toEqual([]);
    }),
  );
});

test.each(['{', '[]', '{"changedAtMs": "soon"}'])('a damaged text says nothing: %s', (text) => {
  expect(allowedRate(readState(text, 5), 7)).toEqual({ perSecond: 7, reason: 'ceiling' });
});
