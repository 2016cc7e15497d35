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
    // In tens, so that nobody leaves in the turn between a timer and the call.
    const tens = (range: { min: number; max: number }) => fc.integer(range).map((ten) => ten * 10);
    const step = fc.oneof(
      fc.record({ watchForMs: fc.oneof(fc.constant(300), tens({ min: -1, max: 100 })) }),
      fc.record({ passMs: tens({ min: 0, max: 40 }) }),
      fc.record({ leave: fc.nat(20) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const { watch } = openDeadlines();
        const toldAtMs = new Map<number, number>();
        const alone = new Map<number, number>();
        const stops: (() => void)[] = [];
        for (const what of steps) {
          if ('passMs' in what) vi.advanceTimersByTime(what.passMs);
          else if ('leave' in what) stops[what.leave]?.();
          else {
            const who = stops.length;
            const { watchForMs } = what;
            const stopAlone = watchAlone(watchForMs, () => alone.set(who, performance.now()));
            const stop = watch(watchForMs, () => toldAtMs.set(who, performance.now()));
            stops.push(() => {
              stopAlone();
              stop();
            });
          }
        }
        vi.advanceTimersByTime(1_010);
        expect(new Set(toldAtMs.keys())).toEqual(new Set(alone.keys()));
        for (const [who, atMs] of alone) {
          const laterByMs = (toldAtMs.get(who) ?? 0) - atMs;
          expect([0, 1]).toContain(laterByMs);
        }
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
