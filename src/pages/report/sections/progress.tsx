import type { ReportData } from '../../../report/data/report-data.ts';
import { count, duration } from '../../parts/text/format.ts';

/** Complete and open calls of a run, and an estimate of the time left. */
export function Progress({ data }: { readonly data: ReportData }) {
  const { calls, run, timeline } = data;
  const complete = calls.made + calls.reused + calls.joined;
  const total = complete + calls.open;
  if (total === 0) return <p class="progress">{count(data.rows.total)} rows read so far …</p>;
  const rate = recentRate(timeline, run.seenAt);
  const left = rate > 0 ? `, about ${wholeSeconds(calls.open / rate)} left` : '';
  return (
    <div class="progress">
      <progress value={complete} max={total} aria-label="Calls settled" />
      <p>
        {count(complete)} of {count(total)} calls, {rate.toFixed(rate < 10 ? 1 : 0)} a second{left}
      </p>
    </div>
  );
}

/** Answers a second over the last slices only, because the rate of a run changes over time. */
function recentRate(timeline: ReportData['timeline'], now: number): number {
  if (!timeline) return 0;
  const since = now - Math.max(10_000, 3 * timeline.widthMs);
  let answered = 0;
  let first = now;
  for (const [index, startsAt] of timeline.startsAt.entries()) {
    if (startsAt < since) continue;
    first = Math.min(first, startsAt);
    answered += timeline.answered[index] ?? 0;
  }
  return now > first ? (answered * 1_000) / (now - first) : 0;
}

/** The time left is an estimate, so it is shown without milliseconds. */
function wholeSeconds(seconds: number): string {
  return seconds < 10 ? `${Math.ceil(seconds)} s` : duration(Math.round(seconds) * 1_000);
}
