import { isReject, type Reading } from '../../identify/identifier.ts';
import { identifyCell } from '../../identify/identify-cell.ts';
import { type DetectedColumn, filledCells, type Sample } from './detect-columns.ts';

/** What a column holds, whether it identifies companies or not. */
export interface ColumnFacts {
  readonly column: string;
  /** Rows that have a value there. */
  readonly filled: number;
  /** Share of these values that are an identifier of any kind, 0 to 1. */
  readonly share: number;
  /** The first values that differ. */
  readonly samples: readonly string[];
}

const samplesShown = 3;

export function describeColumns(header: readonly string[], sample: Sample): ColumnFacts[] {
  return header.map((column, index) => {
    const values = filledCells(sample, index);
    const samples = [...new Set(values)].slice(0, samplesShown);
    return { column, filled: values.length, share: goodShare(values, 'auto'), samples };
  });
}

/** A column that a flag names, with the share of its values that are good. */
export function describeColumn(
  { index, column, as }: Omit<DetectedColumn, 'share'>,
  sample: Sample,
): DetectedColumn {
  return { index, column, as, share: goodShare(filledCells(sample, index), as) };
}

/** The column that is worth a try where none is sure: that with the most good values. */
export function likeliestColumn(
  facts: readonly ColumnFacts[],
): (DetectedColumn & { as: 'auto' }) | undefined {
  const good = (index: number) => (facts[index]?.share ?? 0) * (facts[index]?.filled ?? 0);
  const [index] = [...facts.keys()].sort((one, other) => good(other) - good(one));
  const found = index === undefined ? undefined : facts[index];
  return index === undefined || !found
    ? undefined
    : { index, column: found.column, as: 'auto', share: found.share };
}

function goodShare(values: readonly string[], as: Reading): number {
  const good = values.filter((value) => !isReject(identifyCell(value, as)));
  return values.length === 0 ? 0 : good.length / values.length;
}
