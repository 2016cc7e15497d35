import type { RunFacts } from '../../../workbench/api/history.ts';
import { percent } from '../../parts/text/format.ts';

const [width, height, margin] = [120, 28, 3];

/** The match rate of the complete runs as a small line over time, the last one with its number. */
export function MatchTrend({ runs }: { readonly runs: readonly RunFacts[] }) {
  const complete = runs
    .filter(({ endedAt, limit, rows }) => endedAt !== null && limit === null && rows.total > 0)
    .toReversed();
  const last = complete.at(-1);
  if (!last) return null;
  const rates = complete.map(({ rows }) => rows.matched / rows.total);
  const points = rates.map((rate, index) => {
    const x = margin + (index * (width - 2 * margin)) / Math.max(1, rates.length - 1);
    const y = height - margin - rate * (height - 2 * margin);
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
  const text = complete.map(({ rows }) => percent(rows.matched, rows.total));
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
      <b>{percent(last.rows.matched, last.rows.total)}</b> <small>matched in {last.run}</small>
    </p>
  );
}
