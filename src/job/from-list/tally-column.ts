import { cleanCell, isBlank } from '../../identify/clean-cell.ts';
import { isReject, type Reading } from '../../identify/identifier.ts';
import { identifyCell } from '../../identify/identify-cell.ts';
import { parseCountry } from '../../identify/parse-country.ts';
import type { Reject, RejectCode } from '../../identify/rejects.ts';
import type { Sample } from './detect-columns.ts';

/** Why a cell is rejected; undefined where it is good or blank. */
export type CellJudge = (cell: string) => Reject | undefined;

/** How the cells of a column come out when it is used for something. */
export interface ColumnTally {
  readonly blank: number;
  readonly good: number;
  /** Most frequent first. */
  readonly rejects: readonly RejectTally[];
}

export interface RejectTally {
  readonly reject: RejectCode;
  readonly message: string;
  readonly rows: number;
  /** The first cells that differ. */
  readonly examples: readonly string[];
}

const examplesShown = 3;

export function judgeIdentifier(as: Reading): CellJudge {
  return (cell) => {
    const result = identifyCell(cell, as);
    return isReject(result) && result.reject !== 'blank' ? result : undefined;
  };
}

/** A blank cell takes the default country. */
export const judgeCountry: CellJudge = (cell) => {
  const result = parseCountry(cell);
  return typeof result === 'object' ? result : undefined;
};

export function tallyColumn(sample: Sample, index: number, judge: CellJudge): ColumnTally {
  const rejects = new Map<RejectCode, { message: string; rows: number; examples: string[] }>();
  let blank = 0;
  let good = 0;
  for (const row of sample) {
    const cell = row[index] ?? '';
    const reject = judge(cell);
    if (!reject) {
      if (isBlank(cleanCell(cell))) blank += 1;
      else good += 1;
      continue;
    }
    const { message } = reject;
    const tally = rejects.get(reject.reject) ?? { message, rows: 0, examples: [] };
    tally.rows += 1;
    if (tally.examples.length < examplesShown && !tally.examples.includes(cell)) {
      tally.examples.push(cell);
    }
    rejects.set(reject.reject, tally);
  }
  const tallies = [...rejects].map(([reject, tally]) => ({ reject, ...tally }));
  return { blank, good, rejects: tallies.sort((one, other) => other.rows - one.rows) };
}

/** What a column holds that is used for nothing, or as the key. */
export function describeValues(
  sample: Sample,
  index: number,
): { readonly blank: number; readonly repeated: number; readonly identifiers: number } {
  const cells = sample.map((row) => cleanCell(row[index] ?? '')).filter((cell) => !isBlank(cell));
  return {
    blank: sample.length - cells.length,
    repeated: cells.length - new Set(cells).size,
    identifiers: cells.filter((cell) => !isReject(identifyCell(cell, 'auto'))).length,
  };
}
