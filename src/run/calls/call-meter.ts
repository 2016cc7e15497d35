import type { TimelineSlice } from '../../ledger/runs/timeline.ts';
import type { Clock } from '../../runtime/clock.ts';
import { addToHistogram } from '../../runtime/histogram.ts';

/** What the meter wants to hear; the events of the client are such. */
type MeteredEvent =
  | { readonly type: 'attempt.made'; readonly verdict: string; readonly durationMs: number }
  | { readonly type: 'retry.scheduled' }
  | { readonly type: 'service.throttled'; readonly untilMs: number }
  | { readonly type: 'gate.opened' | 'rate.lowered' | 'rate.raised' };

/** So fine that a run of two seconds has a chart; the ledger makes them wider as they grow many. */
const sliceMs = 100;
const answers: ReadonlySet<string> = new Set(['hit', 'miss', 'invalid']);

/** Counts in memory what happens on the wire, so that it costs no write for each call. */
export function openCallMeter(clock: Pick<Clock, 'wallMs'>) {
  const slices = new Map<number, ReturnType<typeof emptySlice>>();
  /** The part of a throttling that is not yet in the slices. */
  let pause = { sinceMs: 0, untilMs: 0 };

  const sliceAt = (wallMs: number) => {
    const startsAt = Math.floor(wallMs / sliceMs) * sliceMs;
    const slice = slices.get(startsAt) ?? emptySlice(startsAt);
    slices.set(startsAt, slice);
    return slice;
  };
  /** Spreads the wait over the slices that it lasted. */
  const countPause = (nowMs: number) => {
    const endMs = Math.min(nowMs, pause.untilMs);
    while (pause.sinceMs < endMs) {
      const slice = sliceAt(pause.sinceMs);
      const toMs = Math.min(endMs, slice.startsAt + sliceMs);
      slice.throttledMs += toMs - pause.sinceMs;
      pause.sinceMs = toMs;
    }
  };

  return {
    note(event: MeteredEvent) {
      const nowMs = clock.wallMs();
      switch (event.type) {
        case 'attempt.made': {
          const slice = sliceAt(nowMs);
          slice.attempts += 1;
          addToHistogram(slice.latencies, event.durationMs);
          if (event.verdict === 'throttled') slice.throttled += 1;
          else if (answers.has(event.verdict)) slice.answered += 1;
          else slice.failed += 1;
          return;
        }
        case 'retry.scheduled':
          sliceAt(nowMs).retried += 1;
          return;
        case 'service.throttled':
          countPause(nowMs);
          pause = { sinceMs: nowMs, untilMs: event.untilMs };
          return;
        case 'gate.opened':
          countPause(nowMs);
          pause.untilMs = 0;
          return;
        case 'rate.lowered':
        case 'rate.raised':
      }
    },
    /** What was measured since the last time, in slices of a tenth of a second. */
    take(): TimelineSlice[] {
      countPause(clock.wallMs());
      const taken = [...slices.values()].sort((one, other) => one.startsAt - other.startsAt);
      slices.clear();
      return taken;
    },
  };
}

export type CallMeter = ReturnType<typeof openCallMeter>;

function emptySlice(startsAt: number) {
  const latencies: number[] = [];
  const counts = { attempts: 0, answered: 0, failed: 0, retried: 0, throttled: 0, throttledMs: 0 };
  return { startsAt, widthMs: sliceMs, ...counts, latencies };
}
