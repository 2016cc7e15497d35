import { useMemo } from 'preact/hooks';
import type { ReportData } from '../../../report/data/report-data.ts';
import type { ReportTimeline } from '../../../report/data/timeline-data.ts';
import {
  type ChartPoints,
  chartPoints,
  valuesAt,
  valuesWithGaps,
} from '../../parts/charts/chart-points.ts';
import { type ChartLine, TimeChart } from '../../parts/charts/time-chart.tsx';
import { TimeTable } from '../../parts/charts/time-table.tsx';
import { Section } from '../../parts/section.tsx';
import { count, counted, duration, percent } from '../../parts/text/format.ts';
import { Tile } from '../../parts/tile.tsx';

/** A chart of fewer points shows nothing that the tiles above do not say. */
const minChartPoints = 4;

export function Service({ data }: { readonly data: ReportData }) {
  const { timeline } = data;
  if (!timeline) return null;
  const { whole } = timeline;
  return (
    <Section id="service" title={titleOf(timeline)} lead={troubleText(timeline)}>
      <dl class="tiles">
        <Tile name="Attempts" value={count(whole.attempts)} />
        <Tile name="9 of 10 within" value={within(timeline, whole.p90)} />
        <Tile name="99 of 100 within" value={within(timeline, whole.p99)} />
        <Tile
          name="Failed"
          value={count(whole.failed)}
          about={percent(whole.failed, whole.attempts)}
        />
        <Tile name="Tried again" value={count(whole.retried)} />
        <Tile
          name="Waited as told"
          value={whole.throttledMs === 0 ? '0 s' : duration(whole.throttledMs)}
        />
      </dl>
      <Charts timeline={timeline} />
    </Section>
  );
}

function Charts({ timeline }: { readonly timeline: ReportTimeline }) {
  const points = useMemo(() => chartPoints(timeline), [timeline]);
  const lines = useMemo(() => linesOf(timeline, points), [timeline, points]);
  if (points.seconds.length < minChartPoints) return null;
  const { whole } = timeline;
  const hasTrouble = whole.retried + whole.throttled > 0;
  return (
    <>
      <div class={hasTrouble ? 'grid three' : 'grid two'}>
        <TimeChart
          title="Attempts a second"
          summary={`Attempts over time: ${count(whole.answered)} answered, ${count(whole.failed)} failed. The numbers are in the table below.`}
          seconds={points.seconds}
          lines={lines.attempts}
          format={rate}
        />
        {whole.answered > 0 && (
          <TimeChart
            title="Time to answer"
            summary={`Time to answer over time: half within ${within(timeline, whole.p50)}, 99 of 100 within ${within(timeline, whole.p99)}. The numbers are in the table below.`}
            seconds={points.seconds}
            lines={lines.latency}
            format={duration}
          />
        )}
        {hasTrouble && (
          <TimeChart
            title="Tried again, and told to wait"
            summary={`Retries and throttling over time: ${count(whole.retried)} retries, throttled ${count(whole.throttled)} times. The numbers are in the table below.`}
            seconds={points.seconds}
            lines={lines.trouble}
            format={rate}
          />
        )}
      </div>
      {points.pauses > 0 && (
        <p class="aside">{counted(points.pauses, 'pause is', 'pauses are')} not drawn.</p>
      )}
      <TimeTable timeline={timeline} />
    </>
  );
}

function linesOf(
  timeline: ReportTimeline,
  points: ChartPoints,
): Record<'attempts' | 'latency' | 'trouble', ChartLine[]> {
  const perSecond = (values: readonly number[]) =>
    valuesAt(
      points,
      values.map((value) => (value * 1_000) / timeline.widthMs),
      0,
    );
  const latency = (values: readonly (number | null)[]) => valuesWithGaps(points, values);
  return {
    attempts: [
      { label: 'answered', color: 'matched', values: perSecond(timeline.answered), isFilled: true },
      { label: 'failed', color: 'failed', values: perSecond(timeline.failed) },
    ],
    latency: [
      { label: 'half', color: 'accent', values: latency(timeline.p50) },
      { label: '9 of 10', color: 'invalid', values: latency(timeline.p90) },
      { label: '99 of 100', color: 'failed', values: latency(timeline.p99), dash: [5, 4] },
    ],
    trouble: [
      { label: 'tried again', color: 'invalid', values: perSecond(timeline.retried) },
      { label: 'throttled', color: 'failed', values: perSecond(timeline.throttled) },
    ],
  };
}

function rate(value: number): string {
  return value >= 10 ? count(Math.round(value)) : String(Math.round(value * 10) / 10);
}

function titleOf({ whole }: ReportTimeline): string {
  if (whole.answered === 0) return 'The service answered no call';
  if (whole.p50 === null) return 'How the service answered';
  // The latencies include failed attempts, so with failures the title speaks of attempts.
  const some = whole.answered === whole.attempts ? 'answers came' : 'attempts ended';
  return `Half of the ${some} within ${duration(whole.p50)}`;
}

/** A latency, or `–` when every attempt failed: the time of failures is not the time of answers. */
function within({ whole }: ReportTimeline, ms: number | null): string {
  return ms === null || whole.answered === 0 ? '–' : duration(ms);
}

function troubleText({ whole }: ReportTimeline): string {
  const waited = whole.throttledMs > 0 ? `, which took ${duration(whole.throttledMs)}` : '';
  const troubles = [
    whole.failed > 0 ? `${counted(whole.failed, 'attempt', 'attempts')} failed` : '',
    whole.throttled > 0
      ? `${counted(whole.throttled, 'attempt was', 'attempts were')} throttled${waited}`
      : '',
  ].filter(Boolean);
  if (troubles.length > 0) return `${troubles.join(', and ')}.`;
  return 'No attempt failed, and the service never asked to wait.';
}
