import { type Figure, type Goal, isReached } from './bench.ts';

const columns = ['figure', 'ceiling', 'ratio', 'spread', 'goal', ''] as const;

/** One line for each figure, with its notes below. */
export function renderTable(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => [
    formatNumber(figure.figure),
    formatNumber(figure.ceiling),
    figure.ratio.toFixed(2),
    `${figure.spread.low.toFixed(2)}–${figure.spread.high.toFixed(2)}`,
    figure.goal ? formatGoal(figure.goal) : '',
    figure.goal ? (isReached(figure) ? 'reached' : 'MISSED') : '',
  ]);
  const widths = columns.map((column, index) =>
    Math.max(column.length, ...rows.map((row) => row[index]?.length ?? 0)),
  );
  const align = (cells: readonly string[]) =>
    cells
      .map((cell, index) => cell.padStart(widths[index] ?? 0))
      .join('  ')
      .trimEnd();
  const blocks = figures.map((figure, index) => [
    `${figure.name} (${figure.unit}, ${figure.rounds} rounds)`,
    align(rows[index] ?? []),
    ...(figure.notes ?? []).map((note) => `  ${note}`),
  ]);
  return `${[align(columns), ...blocks.flat()].join('\n')}\n`;
}

function formatGoal(goal: Goal): string {
  return 'atLeast' in goal ? `≥ ${goal.atLeast}` : `≤ ${goal.atMost}`;
}

function formatNumber(number: number): string {
  const fractionDigits = number < 100 ? 1 : 0;
  return number.toLocaleString('en', { maximumFractionDigits: fractionDigits });
}
