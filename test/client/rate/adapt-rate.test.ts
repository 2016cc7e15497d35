import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RateLimits } from '../../../src/client/judge/read-rate-limits.ts';
import {
  allowedRate,
  noteThrottled,
  passTime,
  withoutSender,
} from '../../../src/client/rate/adapt-rate.ts';
import { exhaustedMs, noteLimits, withPolicy } from '../../../src/client/rate/heed-limits.ts';
import { noMemory, parseMemory, type RateMemory } from '../../../src/client/rate/rate-memory.ts';
import { simulateService } from './simulated-service.ts';

const noneSeen = { average: 0, most: 0 };
const sender = { id: 'a', ceiling: 100, passed: noneSeen };
const free = { id: 'f', ceiling: Number.POSITIVE_INFINITY, passed: noneSeen };
const wallMs = Date.parse('2026-08-22T00:00:00Z');

function rateOf(memory: RateMemory, nowMs: number, of = sender): number {
  return allowedRate(memory, of, nowMs).perSecond;
}

function throttle(memory: RateMemory, nowMs: number, started = 100, of = sender): RateMemory {
  return noteThrottled(memory, of, {
    ...{ leftAtMs: nowMs, startedPerSecond: started, answered: 0, nowMs },
  });
}

/** Requests are wanted for so long. */
function use(memory: RateMemory, fromMs: number, ms: number, of = sender): RateMemory {
  let used = memory;
  for (let at = fromMs; at <= fromMs + ms; at += 100) used = passTime(used, of, at);
  return used;
}

function told(limits: Partial<RateLimits>, memory = noMemory, maxWaitMs = 600_000): RateMemory {
  return noteLimits(memory, { policies: [], ...limits }, sender, { nowMs: 0, wallMs, maxWaitMs });
}

test('a limit above every rate that a job can have is none: a window of it would fill the memory', () => {
  const times = { nowMs: 0, wallMs, maxWaitMs: 600_000 };
  const policies = [{ quota: 999_999_999_999_999, windowS: 1e-9 }];
  expect(rateOf(noteLimits(noMemory, { policies }, free, times), 0, free)).toBe(Infinity);
  const left = { remaining: 5_000_000, resetS: 60 };
  expect(rateOf(noteLimits(noMemory, { policies: [], left }, free, times), 0, free)).toBe(Infinity);
});

describe('a throttle', () => {
  test('lowers the rate once for all requests that were under way together', () => {
    const lowered = throttle(noMemory, 5_000);
    expect(rateOf(lowered, 5_000)).toBeCloseTo(85);
    const late = { leftAtMs: 4_990, startedPerSecond: 100, answered: 0, nowMs: 5_200 };
    expect(noteThrottled(lowered, sender, late)).toBe(lowered);
    expect(rateOf(throttle(lowered, 6_500, 85), 6_500)).toBeCloseTo(72.25);
  });

  test('takes half of the rate at most, and more than half of what is not used', () => {
    expect(rateOf(throttle(noMemory, 0, 3), 0)).toBe(50);
    expect(rateOf(throttle(noMemory, 0, 70), 0)).toBeCloseTo(59.5);
  });

  test('is followed by a slow recovery that ends at the ceiling', () => {
    const lowered = throttle(noMemory, 0);
    const rates = [30, 60, 120, 300, 600].map((seconds) =>
      rateOf(use(lowered, 0, seconds * 1_000), seconds * 1_000),
    );
    expect(rates).toEqual(rates.toSorted((one, other) => one - other));
    expect(rates[0]).toBeLessThan(95);
    expect(rates.at(-1)).toBe(100);
    expect(use(lowered, 0, 600_000).recovery).toBeUndefined();
  });

  test('gives a job without a rate one, until twice that was taken', () => {
    const lowered = throttle(noMemory, 0, 400, free);
    expect(rateOf(lowered, 0, free)).toBeCloseTo(340);
    expect(rateOf(use(lowered, 0, 300_000, free), 300_000, free)).toBeLessThan(800);
    expect(rateOf(use(lowered, 0, 600_000, free), 600_000, free)).toBe(Number.POSITIVE_INFINITY);
  });

  test('does not recover in the time in which nothing is sent, nor by a clock that starts anew', () => {
    const lowered = throttle(noMemory, 1_000_000);
    const nextNight = passTime(lowered, sender, 90_000_000);
    expect(rateOf(nextNight, 90_000_000)).toBeLessThan(86);
    const restarted = passTime(lowered, sender, 500);
    expect(rateOf(restarted, 500)).toBeLessThan(86);
    expect(rateOf(throttle(restarted, 900), 900)).toBeLessThan(75);
  });

  test('does not recover beyond what a lower ceiling lets the service see', () => {
    const low = { id: 'low', ceiling: 20, passed: noneSeen };
    const lowered = throttle(noMemory, 0);
    expect(rateOf(use(lowered, 0, 600_000, low), 600_000)).toBeLessThan(86);
  });
});

describe('jobs of different rates', () => {
  test('keep the lower one while both run', () => {
    const both = passTime(
      passTime(noMemory, { id: 'b', ceiling: 20, passed: noneSeen }, 0),
      sender,
      100,
    );
    expect(allowedRate(both, sender, 100)).toEqual({ perSecond: 20, reason: 'other job' });
    expect(rateOf(withoutSender(both, { id: 'b', ceiling: 20, passed: noneSeen }), 100)).toBe(100);
  });

  test('and a process that was killed holds its rate for half a minute', () => {
    const both = passTime(
      passTime(noMemory, { id: 'b', ceiling: 20, passed: noneSeen }, 0),
      sender,
      0,
    );
    expect(rateOf(use(both, 0, 29_000), 29_000)).toBe(20);
    expect(rateOf(use(both, 0, 31_000), 31_000)).toBe(100);
  });
});

describe('the headers of the service', () => {
  test('a policy is kept, whatever its window, up to a minute', () => {
    expect(rateOf(told({ policies: [{ quota: 600, windowS: 60 }] }), 0)).toBe(10);
    const burstAndDay = [
      { quota: 30, windowS: 1 },
      { quota: 1_000, windowS: 86_400 },
    ];
    expect(rateOf(told({ policies: burstAndDay }), 0)).toBe(30);
    expect(rateOf(told({ policies: [{ quota: 500, windowS: 1 }] }), 0)).toBe(100);
  });

  test('a policy that the service no longer tells is forgotten', () => {
    const limited = told({ policies: [{ quota: 600, windowS: 60 }] });
    expect(rateOf(withPolicy(limited, undefined), 0)).toBe(100);
    expect(told({ policies: [{ quota: 20, windowS: 1 }] }, limited).policyRate).toBe(20);
  });

  test('what is left of a quota is shared out until it is whole again', () => {
    const spread = told({ left: { remaining: 60, resetS: 30 } });
    expect(allowedRate(spread, sender, 29_000)).toEqual({ perSecond: 2, reason: 'quota' });
    expect(rateOf(spread, 30_000)).toBe(100);
    // Each answer tells, and only a change is written.
    expect(told({ left: { remaining: 58, resetS: 29 } }, spread)).toBe(spread);
    expect(rateOf(told({ left: { remaining: 5_000, resetS: 29 } }, spread), 0)).toBe(100);
    expect(told({ left: { remaining: 4, resetS: 3_600 } })).toBe(noMemory);
  });

  test('a spent quota is waited for, as long as the job allows and whatever the clock does', () => {
    const { exhausted } = told({ left: { remaining: 0, resetS: 30 } });
    if (!exhausted) throw new Error('nothing is waited for');
    expect(exhaustedMs(exhausted, 10_000, wallMs + 10_000)).toBe(20_000);
    expect(exhaustedMs(exhausted, 10_000, wallMs - 3_600_000)).toBe(20_000);
    expect(exhaustedMs(exhausted, 10_000, wallMs + 3_600_000)).toBe(0);
    // The machine has started anew, and the wall clock tells.
    expect(exhaustedMs(exhausted, 0, wallMs + 25_000)).toBe(5_000);
    expect(told({ left: { remaining: 0, resetS: 30 } }, noMemory, 20_000)).toBe(noMemory);
    expect(told({ left: { remaining: 0, resetS: 1 } })).toBe(noMemory);
  });
});

test('a memory that is damaged is none', () => {
  const lowered = throttle(passTime(noMemory, sender, 0), 0);
  expect(parseMemory(JSON.stringify(lowered))).toEqual(lowered);
  for (const text of [
    '',
    '{',
    '[]',
    '{"senders":[{}]}',
    JSON.stringify(lowered).replace('85', '-85'),
    '{"steppedAtMs":0,"senders":[],"policyRate":0}',
  ]) {
    expect(parseMemory(text).policyRate).toBeUndefined();
  }
  expect(parseMemory('{"senders": 7}')).toEqual(noMemory);
});

test('whatever happens, the rate is above nothing and never above the ceiling', () => {
  const amount = fc.oneof(
    fc.double({ min: 0, max: 1e6, noNaN: true }),
    fc.integer({ min: 0, max: 3 }),
  );
  const event = fc.record({
    afterMs: fc.integer({ min: -100_000, max: 100_000 }),
    what: fc.constantFrom('pass', 'throttle', 'policy', 'left', 'restart'),
    a: amount,
    b: fc.double({ min: 0.1, max: 1e5, noNaN: true }),
  });
  fc.assert(
    fc.property(
      fc.array(event),
      fc.double({ min: 0.01, max: 5_000, noNaN: true }),
      (events, ceiling) => {
        const own = { id: 'a', ceiling, passed: noneSeen };
        let nowMs = 0;
        let memory = noMemory;
        for (const { afterMs, what, a, b } of events) {
          nowMs = Math.max(0, nowMs + afterMs);
          const times = { nowMs, wallMs: wallMs + nowMs, maxWaitMs: 600_000 };
          if (what === 'pass') memory = passTime(memory, own, nowMs);
          if (what === 'throttle') memory = throttle(memory, nowMs, a, own);
          if (what === 'policy') {
            const policies = [{ quota: a + 0.1, windowS: b }];
            memory = noteLimits(memory, { policies }, own, times);
          }
          if (what === 'left') {
            const left = { remaining: a, resetS: b };
            memory = noteLimits(memory, { policies: [], left }, own, times);
          }
          if (what === 'restart') memory = parseMemory(JSON.stringify(memory));
          const { perSecond } = allowedRate(memory, own, nowMs);
          if (!(perSecond > 0 && perSecond <= ceiling)) return false;
        }
        return true;
      },
    ),
    { numRuns: 1_000 },
  );
});

describe('against a service that takes R in every sliding second', () => {
  test('a ceiling of R is used, and nothing is refused', () => {
    const { refusedShare, usedShare } = simulateService({ limit: 50, ceiling: 50, minutes: 2 });
    expect(refusedShare).toBe(0);
    expect(usedShare).toBeGreaterThanOrEqual(0.95);
  });

  test('a ceiling above R is refused under 2% after the first minute, and uses 80% at least', () => {
    const service = fc.record({
      limit: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.constant(60)),
      times: fc.constantFrom(1.5, 2, 4),
      processes: fc.integer({ min: 1, max: 3 }),
      latencyMs: fc.constantFrom(5, 50, 400),
      countsRefused: fc.boolean(),
    });
    fc.assert(
      fc.property(service, ({ limit, times, ...facts }) => {
        const ceiling = Math.ceil(limit * times);
        const seen = simulateService({ limit, ceiling, minutes: 5, ...facts });
        expect(seen.refusedShare, JSON.stringify(seen)).toBeLessThan(0.02);
        expect(seen.usedShare, JSON.stringify(seen)).toBeGreaterThanOrEqual(0.8);
      }),
      { numRuns: 15 },
    );
  });
});

describe('against a service that refuses a share of all requests, whatever the rate is', () => {
  const noLimit = 1_000_000;
  const perSecond = ({ usedShare }: { usedShare: number }) => usedShare * noLimit;

  test('at least half of the ceiling is used', () => {
    for (const facts of [{ strayShare: 0.02 }, { strayShare: 0.1 }, { strayShare: 0.2 }]) {
      const seen = simulateService({ limit: noLimit, ceiling: 50, minutes: 3, ...facts });
      expect(perSecond(seen), JSON.stringify(seen)).toBeGreaterThanOrEqual(25);
    }
    const several = { strayShare: 0.1, processes: 3 };
    const seen = simulateService({ limit: noLimit, ceiling: 50, minutes: 3, ...several });
    expect(perSecond(seen), JSON.stringify(seen)).toBeGreaterThanOrEqual(25);
  });

  test('a wait that it asks for each time is taken, and then the full rate is used', () => {
    // Ten requests in a fifth of a second, and then a second of silence.
    const facts = { strayShare: 0.1, asksToWait: true };
    const seen = simulateService({ limit: noLimit, ceiling: 50, minutes: 3, ...facts });
    expect(perSecond(seen)).toBeGreaterThan(7);
    expect(perSecond(seen)).toBeLessThan(10);
  });
});

test('a service that was taken for one that refuses at random, and has a limit, lowers the rate again', () => {
  const passing = { ...sender, passed: { average: 100, most: 100 } };
  let memory = throttle(noMemory, 0, 100, passing);
  for (let at = 2_000; at < 7_000; at += 1_000) {
    const refused = { leftAtMs: at, startedPerSecond: 85, answered: 9, nowMs: at };
    memory = noteThrottled(memory, passing, refused);
  }
  expect(memory.stray?.share).toBeCloseTo(0.1);
  expect(rateOf(memory, 7_000)).toBe(100);
  for (let at = 7_000; at < 7_050; at += 1) memory = throttle(memory, at, 100, passing);
  expect(memory.stray).toEqual({ answered: 0, refused: 0, wasWrong: true });
  expect(rateOf(memory, 7_050)).toBeLessThanOrEqual(85);
});
