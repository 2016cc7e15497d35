import type { HistoryRun } from '../../../workbench/api/history.ts';
import { percent } from '../../parts/text/format.ts';

const [width, height, margin] = [120, 28, 3];

/** The match rate of the complete runs as a small line over time, the last one with its number. */
export function MatchTrend({ runs }: { readonly runs: readonly HistoryRun[] }) {
  const complete = runs
    .filter(({ state, limit, rows }) => state === 'finished' && limit === null && rows > 0)
    .toReversed();
  const last = complete.at(-1);
  if (!last) return null;
  const rates = complete.map(({ matched, rows }) => matched / rows);
  const points = rates.map((rate, index) => {
    const x = margin + (index * (width - 2 * margin)) / Math.max(1, rates.length - 1);
    const y = height - margin - rate * (height - 2 * margin);
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
  const text = rates.map((_, index) => {
    const { matched = 0, rows = 0 } = complete[index] ?? {};
    return percent(matched, rows);
  });
  return (
    <p class="trend">
      {rates.length > 1 && (
        <svg
          viewBox={`0 0 ${width} ${height}`}
          width={width}
          height={height}
          role="img"
          aria-label={`Match rate, oldest first: ${text.join(', ')}`}
        >
          <polyline points={points.join(' ')} />
        </svg>
      )}
      <b>{percent(last.matched, last.rows)}</b> <small>matched in {last.id}</small>
    </p>
  );
}
