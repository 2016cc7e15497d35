import type { RunQueue } from '../../queue/run-queue.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { CallMeter } from './call-meter.ts';

/** Often enough to look on, seldom enough to cost nothing. */
const writeEveryMs = 1_000;

export interface TimelineKeeper extends AsyncDisposable {
  /** Writes if a second has passed, so it may be called as often as one likes. */
  tick(): void;
}

/** Stores what the meter has measured, about once a second. */
export function keepTimeline(
  queue: Pick<RunQueue, 'keepTimeline'>,
  clock: Pick<Clock, 'monotonicMs'>,
  meter: CallMeter | undefined,
): TimelineKeeper {
  let lastWriteAt = clock.monotonicMs();
  const write = async () => {
    if (!meter) return;
    lastWriteAt = clock.monotonicMs();
    // Answers matter, this does not: where the disk is in trouble, storing them will tell.
    await queue.keepTimeline(meter.take()).catch(() => {});
  };
  return {
    tick() {
      if (clock.monotonicMs() - lastWriteAt >= writeEveryMs) void write();
    },
    [Symbol.asyncDispose]: write,
  };
}
