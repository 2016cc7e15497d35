import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openDeadlines } from '../../src/client/deadlines.ts';
import { systemClock } from '../../src/runtime/clock.ts';

const longerThanTimersMs = 2 ** 31;

test('time is called when it is over, and not before', async () => {
  const startedAtMs = performance.now();
  const tookMs = await new Promise<number>((resolve) => {
    openDeadlines().watch(20, () => resolve(performance.now() - startedAtMs));
  });
  expect(tookMs).toBeGreaterThanOrEqual(20);
});

test('what is ended in the turn after a stall is not called', async () => {
  const { watch } = openDeadlines();
  const told: string[] = [];
  const stopWatching = watch(10, () => told.push('over'));
  // The first to happen after the stall: an answer that had come in the meantime is read like this.
  setTimeout(() => setImmediate(stopWatching), 5);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 30);
  await systemClock.sleep(20);
  expect(told).toEqual([]);
});

describe('by a clock that is set by hand', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('whatever comes and goes, everybody is told when a timer of its own would have fired', () => {
    const step = fc.oneof(
      fc.record({ watchForMs: fc.oneof(fc.constant(300), fc.integer({ min: -5, max: 1_000 })) }),
      fc.record({ passMs: fc.nat(400) }),
      fc.record({ leave: fc.nat(20) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const { watch } = openDeadlines();
        const told: [number, number][] = [];
        const fired: [number, number][] = [];
        const stops: (() => void)[] = [];
        for (const what of steps) {
          if ('passMs' in what) vi.advanceTimersByTime(what.passMs);
          else if ('leave' in what) stops[what.leave]?.();
          else {
            const who = stops.length;
            stops.push(
              both(
                watchAlone(what.watchForMs, () => fired.push([performance.now(), who])),
                watch(what.watchForMs, () => told.push([performance.now(), who])),
              ),
            );
          }
        }
        vi.advanceTimersByTime(1_010);
        expect(told.toSorted(byTime)).toEqual(fired.toSorted(byTime));
        expect(vi.getTimerCount()).toBe(0);
      }),
      { numRuns: 500 },
    );
  });

  test('a thousand who wait have one timer, and who has waited enough leaves none behind', () => {
    const { watch } = openDeadlines();
    const stops = Array.from({ length: 1_000 }, (_, who) => watch(60_000 + who, () => {}));
    expect(vi.getTimerCount()).toBe(1);
    for (const stop of stops) stop();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('whoever leaves because another was told is not told', () => {
    const { watch } = openDeadlines();
    const told: string[] = [];
    const stops = ['one', 'two'].map((who) =>
      watch(100, () => {
        told.push(who);
        for (const stop of stops) stop();
      }),
    );
    vi.advanceTimersByTime(200);
    expect(told).toEqual(['one']);
  });

  test('a time that no timer can wait for is not over at once', () => {
    const told: string[] = [];
    openDeadlines().watch(longerThanTimersMs + 1_000, () => told.push('over'));
    vi.advanceTimersByTime(longerThanTimersMs);
    expect(told).toEqual([]);
    vi.advanceTimersByTime(1_010);
    expect(told).toEqual(['over']);
  });
});

/** The same with a timer for each. */
function watchAlone(timeoutMs: number, onOver: () => void): () => void {
  let isWatching = true;
  const call = () => {
    if (isWatching) onOver();
  };
  const timer = setTimeout(() => setImmediate(call), timeoutMs);
  return () => {
    isWatching = false;
    clearTimeout(timer);
  };
}

function both(one: () => void, other: () => void): () => void {
  return () => {
    one();
    other();
  };
}

function byTime([one, who]: [number, number], [other, whoElse]: [number, number]): number {
  return one - other || who - whoElse;
}
