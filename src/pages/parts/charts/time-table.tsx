import type { ReportTimeline } from '../../../report/data/timeline-data.ts';
import { count, duration, timeOfDay } from '../text/format.ts';

type Lists = 'answered' | 'failed' | 'retried' | 'throttled' | 'p50' | 'p90' | 'p99';

const number = (value: number | null) => count(value ?? 0);
const latency = (value: number | null) => (value === null ? '–' : duration(value));

const columns: readonly { list: Lists; name: string; show: (value: number | null) => string }[] = [
  { list: 'answered', name: 'Answered', show: number },
  { list: 'failed', name: 'Failed', show: number },
  { list: 'retried', name: 'Tried again', show: number },
  { list: 'throttled', name: 'Throttled', show: number },
  { list: 'p50', name: 'Half within', show: latency },
  { list: 'p90', name: '9 of 10 within', show: latency },
  { list: 'p99', name: '99 of 100 within', show: latency },
];

/** The numbers of the charts as a table, for screen readers and for copying. */
export function TimeTable({ timeline }: { readonly timeline: ReportTimeline }) {
  return (
    <details class="numbers">
      <summary>The same as a table</summary>
      <div class="card scroll">
        <table>
          <caption>In slices of {duration(timeline.widthMs)}</caption>
          <thead>
            <tr>
              <th scope="col">From</th>
              {columns.map(({ list, name }) => (
                <th key={list} scope="col" class="number">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {timeline.startsAt.map((at, slice) => (
              <tr key={at}>
                <th scope="row">{timeOfDay(at)}</th>
                {columns.map(({ list, show }) => (
                  <td key={list} class="number">
                    {show(timeline[list][slice] ?? null)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
