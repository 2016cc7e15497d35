import type { CallMeter } from './call-meter.ts';
import type { RunContext } from './run-context.ts';

/** Often enough to look on, seldom enough to cost nothing. */
const writeEveryMs = 1_000;

export interface TimelineKeeper extends Disposable {
  /** To be called as often as one likes. */
  tick(): void;
}

/** Writes what the meter has measured, about once a second. */
export function keepTimeline(
  { ledger, run, clock }: RunContext,
  meter: CallMeter | undefined,
): TimelineKeeper {
  let lastWriteAt = clock.monotonicMs();
  const write = () => {
    if (!meter) return;
    lastWriteAt = clock.monotonicMs();
    const slices = meter.take();
    try {
      ledger.together(() => ledger.timeline.add(run.id, slices));
    } catch {
      // Answers matter, this does not. Where the disk is in trouble, storing them will tell.
    }
  };
  return {
    tick() {
      if (clock.monotonicMs() - lastWriteAt >= writeEveryMs) write();
    },
    [Symbol.dispose]: write,
  };
}
