import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { duration } from '../text/format.ts';
import { lonelyPlaces } from './chart-points.ts';

export interface ChartLine {
  readonly label: string;
  /** Name of a colour of the style sheet. */
  readonly color: string;
  /** A line goes on over what is undefined, and ends at null. */
  readonly values: readonly (number | null | undefined)[];
  readonly isFilled?: boolean;
  readonly dash?: readonly number[];
}

interface TimeChartProps {
  readonly title: string;
  /** What the chart shows, for those who cannot see it. */
  readonly summary: string;
  readonly seconds: readonly number[];
  readonly lines: readonly ChartLine[];
  readonly format: (value: number) => string;
}

const chartHeight = 200;

export function TimeChart({ title, summary, seconds, lines, format }: TimeChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot>(undefined);
  const newest = useRef({ seconds, lines, format });
  newest.current = { seconds, lines, format };
  useEffect(() => {
    const element = place.current;
    if (!element) return undefined;
    // Painted anew rather than recoloured: a chart reads its colours once.
    const paint = () => {
      chart.current?.destroy();
      const { lines: drawn, format: text } = newest.current;
      chart.current = new uPlot(optionsOf(element, drawn, text), dataOf(newest.current), element);
    };
    paint();
    return whenLooksChange(element, paint, () =>
      chart.current?.setSize({ width: element.clientWidth, height: chartHeight }),
    );
  }, []);
  useEffect(() => chart.current?.setData(dataOf({ seconds, lines })), [seconds, lines]);
  return (
    <figure class="card chart">
      <figcaption>
        <h3>{title}</h3>
      </figcaption>
      <div ref={place} role="img" aria-label={summary} />
    </figure>
  );
}

function dataOf({ seconds, lines }: Pick<TimeChartProps, 'seconds' | 'lines'>): uPlot.AlignedData {
  return [[...seconds], ...lines.map(({ values }) => [...values])];
}

/** Calls back when the theme changes, for print, too, and when there is more or less room. */
function whenLooksChange(element: HTMLElement, paint: () => void, resize: () => void): () => void {
  const size = new ResizeObserver(() => {
    if (element.clientWidth > 0) resize();
  });
  const media = ['(prefers-color-scheme: dark)', 'print'].map((query) => matchMedia(query));
  size.observe(element);
  addEventListener('themechange', paint);
  for (const query of media) query.addEventListener('change', paint);
  return () => {
    size.disconnect();
    removeEventListener('themechange', paint);
    for (const query of media) query.removeEventListener('change', paint);
  };
}

function optionsOf(
  element: HTMLElement,
  lines: readonly ChartLine[],
  format: (value: number) => string,
): uPlot.Options {
  const color = (name: string) => resolveColor(element, name);
  const font = `12px ${getComputedStyle(element).fontFamily}`;
  const axis = {
    font,
    stroke: color('muted'),
    grid: { stroke: color('line'), width: 1 },
    ticks: { show: false },
  };
  const atSeconds = (value: number) => (value === 0 ? '0' : duration(value * 1_000));
  return {
    width: Math.max(240, element.clientWidth),
    height: chartHeight,
    padding: [8, 12, 0, 0],
    scales: { x: { time: false }, y: { range: (_chart, _low, high) => [0, (high || 1) * 1.08] } },
    axes: [
      { ...axis, size: 32, space: 80, values: (_chart, ticks) => ticks.map(atSeconds) },
      { ...axis, size: 60, values: (_chart, ticks) => ticks.map(format) },
    ],
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 } },
    legend: { live: true },
    series: [
      { label: 'After', value: (_chart, value) => (value === null ? '' : atSeconds(value)) },
      ...lines.map(({ label, color: name, isFilled, dash }) => ({
        label,
        stroke: color(name),
        width: 2,
        ...(isFilled && { fill: color(`${name}-soft`) }),
        ...(dash && { dash: [...dash] }),
        points: { show: false, size: 5, fill: color(name), filter: lonely },
        value: (_chart: uPlot, value: unknown) => (typeof value === 'number' ? format(value) : ''),
      })),
    ],
  };
}

function lonely(chart: uPlot, series: number): number[] | null {
  const places = lonelyPlaces([...(chart.data[series] ?? [])]);
  return places.length === 0 ? null : places;
}

/** The colour that a name of the style sheet has now, in this theme. */
function resolveColor(element: HTMLElement, name: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(--${name})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
