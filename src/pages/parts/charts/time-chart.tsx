import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { duration } from '../text/format.ts';
import { isolatedPoints } from './chart-points.ts';

export interface ChartLine {
  readonly label: string;
  /** Name of a colour of the style sheet. */
  readonly color: string;
  /** The line spans undefined values and breaks at null. */
  readonly values: readonly (number | null | undefined)[];
  readonly isFilled?: boolean;
  readonly dash?: readonly number[];
}

interface TimeChartProps {
  readonly title: string;
  /** What the chart shows, for screen readers. */
  readonly summary: string;
  readonly seconds: readonly number[];
  readonly lines: readonly ChartLine[];
  readonly format: (value: number) => string;
}

const chartHeight = 200;

export function TimeChart({ title, summary, seconds, lines, format }: TimeChartProps) {
  const container = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot>(undefined);
  const newest = useRef({ seconds, lines, format });
  newest.current = { seconds, lines, format };
  useEffect(() => {
    const element = container.current;
    if (!element) return undefined;
    // A new chart at each change of the theme, because uPlot reads its colours only once.
    const paint = () => {
      chart.current?.destroy();
      const { lines: drawn, format: text } = newest.current;
      chart.current = new uPlot(optionsOf(element, drawn, text), dataOf(newest.current), element);
    };
    paint();
    return onAppearanceChange(element, paint, () =>
      chart.current?.setSize({ width: element.clientWidth, height: chartHeight }),
    );
  }, []);
  useEffect(() => chart.current?.setData(dataOf({ seconds, lines })), [seconds, lines]);
  return (
    <figure class="card chart">
      <figcaption>
        <h3>{title}</h3>
      </figcaption>
      <div ref={container} role="img" aria-label={summary} />
    </figure>
  );
}

function dataOf({ seconds, lines }: Pick<TimeChartProps, 'seconds' | 'lines'>): uPlot.AlignedData {
  return [[...seconds], ...lines.map(({ values }) => [...values])];
}

/** Paints at a change of theme and before and after printing, and resizes with the element. */
function onAppearanceChange(
  element: HTMLElement,
  paint: () => void,
  resize: () => void,
): () => void {
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
        points: { show: false, size: 5, fill: color(name), filter: isolatedOf },
        value: (_chart: uPlot, value: unknown) => (typeof value === 'number' ? format(value) : ''),
      })),
    ],
  };
}

function isolatedOf(chart: uPlot, series: number): number[] | null {
  const points = isolatedPoints([...(chart.data[series] ?? [])]);
  return points.length === 0 ? null : points;
}

/** The value that a colour of the style sheet has in the current theme. */
function resolveColor(element: HTMLElement, name: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(--${name})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
