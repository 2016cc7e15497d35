import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openLedger } from '../../../src/ledger/open-ledger.ts';
import { mostSlices, type TimelineSlice } from '../../../src/ledger/runs/timeline.ts';

function slice(startsAt: number, changes: Partial<TimelineSlice> = {}): TimelineSlice {
  const counts = { attempts: 1, answered: 1, failed: 0, retried: 0, throttled: 0, throttledMs: 0 };
  return { startsAt, widthMs: 1_000, ...counts, latencies: [0, 1], ...changes };
}

test('what is measured later in the same second is added to it', () => {
  using ledger = openLedger(':temporary:');
  ledger.timeline.add(1, [slice(5_000)]);
  ledger.timeline.add(1, [
    slice(5_000, { answered: 0, failed: 1, retried: 1, throttledMs: 250.5, latencies: [2, 0, 1] }),
    slice(6_000),
  ]);
  expect(ledger.timeline.of(1)).toEqual([
    slice(5_000, { attempts: 2, failed: 1, retried: 1, throttledMs: 250.5, latencies: [2, 1, 1] }),
    slice(6_000),
  ]);
  expect(ledger.timeline.of(2)).toEqual([]);
});

test('a long run keeps few slices, equally wide, and loses no attempt', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(4_000), { minLength: 1, maxLength: 40 }),
      fc.integer({ min: 1, max: 120 }),
      (gaps, burst) => {
        using ledger = openLedger(':temporary:');
        let second = 0;
        let attempts = 0;
        for (const gap of gaps) {
          second += gap;
          const slices = Array.from({ length: burst }, (_, index) =>
            slice((second + index) * 1_000),
          );
          ledger.timeline.add(1, slices);
          attempts += burst;
          second += burst;
        }
        const kept = ledger.timeline.of(1);
        expect(kept.length).toBeLessThanOrEqual(mostSlices);
        expect(new Set(kept.map(({ widthMs }) => widthMs)).size).toBe(1);
        for (const { startsAt, widthMs } of kept) expect(startsAt % widthMs).toBe(0);
        expect(kept.reduce((sum, one) => sum + one.attempts, 0)).toBe(attempts);
        expect(kept.reduce((sum, { latencies }) => sum + (latencies[1] ?? 0), 0)).toBe(attempts);
      },
    ),
    { numRuns: 20 },
  );
});
