import type { TimelineSlice } from '../../ledger/runs/timeline.ts';
import type { Clock } from '../../runtime/clock.ts';
import { addToHistogram } from '../../runtime/histogram.ts';

/** What the meter wants to hear; the events of the client are such. */
export type MeteredEvent =
  | { readonly type: 'attempt.made'; readonly verdict: string; readonly durationMs: number }
  | { readonly type: 'retry.scheduled' }
  | { readonly type: 'service.throttled'; readonly untilMs: number }
  | { readonly type: 'gate.opened' | 'rate.lowered' | 'rate.raised' };

/** Counts in memory what happens on the wire, so that it costs no write for each call. */
export interface CallMeter {
  note(event: MeteredEvent): void;
  /** What was measured since the last time, in slices of a tenth of a second. */
  take(): TimelineSlice[];
}

/** So fine that a run of two seconds has a chart; the ledger makes them wider as they grow many. */
const sliceMs = 100;
const answers: ReadonlySet<string> = new Set(['hit', 'miss', 'invalid']);

export function openCallMeter(clock: Pick<Clock, 'wallMs'>): CallMeter {
  const slices = new Map<number, OpenSlice>();
  /** The part of a throttling that is not yet in the slices. */
  let throttling: { sinceMs: number; untilMs: number } | undefined;

  const sliceAt = (wallMs: number): OpenSlice => {
    const startsAt = Math.floor(wallMs / sliceMs) * sliceMs;
    const slice = slices.get(startsAt) ?? emptySlice(startsAt);
    slices.set(startsAt, slice);
    return slice;
  };

  /** Spreads the wait over the slices that it lasted. */
  const countThrottledTime = (nowMs: number) => {
    if (!throttling) return;
    const endMs = Math.min(nowMs, throttling.untilMs);
    let fromMs = throttling.sinceMs;
    while (fromMs < endMs) {
      const slice = sliceAt(fromMs);
      const toMs = Math.min(endMs, slice.startsAt + sliceMs);
      slice.throttledMs += toMs - fromMs;
      fromMs = toMs;
    }
    throttling.sinceMs = fromMs;
    if (nowMs >= throttling.untilMs) throttling = undefined;
  };

  return {
    note(event) {
      const nowMs = clock.wallMs();
      switch (event.type) {
        case 'attempt.made':
          noteAttempt(sliceAt(nowMs), event);
          return;
        case 'retry.scheduled':
          sliceAt(nowMs).retried += 1;
          return;
        case 'service.throttled':
          countThrottledTime(nowMs);
          throttling = { sinceMs: throttling?.sinceMs ?? nowMs, untilMs: event.untilMs };
          return;
        case 'gate.opened':
          countThrottledTime(nowMs);
          throttling = undefined;
      }
    },
    take() {
      countThrottledTime(clock.wallMs());
      const taken = [...slices.values()].sort((one, other) => one.startsAt - other.startsAt);
      slices.clear();
      return taken;
    },
  };
}

type Counts = Record<
  'attempts' | 'answered' | 'failed' | 'retried' | 'throttled' | 'throttledMs',
  number
>;

interface OpenSlice extends Counts {
  readonly startsAt: number;
  readonly widthMs: number;
  readonly latencies: number[];
}

function emptySlice(startsAt: number): OpenSlice {
  const counts = { attempts: 0, answered: 0, failed: 0, retried: 0, throttled: 0, throttledMs: 0 };
  return { startsAt, widthMs: sliceMs, ...counts, latencies: [] };
}

function noteAttempt(
  slice: OpenSlice,
  { verdict, durationMs }: { verdict: string; durationMs: number },
): void {
  slice.attempts += 1;
  addToHistogram(slice.latencies, durationMs);
  if (verdict === 'throttled') slice.throttled += 1;
  else if (answers.has(verdict)) slice.answered += 1;
  else slice.failed += 1;
}
