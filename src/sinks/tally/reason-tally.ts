import type { RowRecord } from '../../ledger/run-records.ts';
import type { RowStatus } from '../../rules/outcomes.ts';
import { type SampledRow, sampleRow } from './row-sample.ts';

/** Rows that have no company for the same reason. */
export interface ReasonTally {
  readonly status: Exclude<RowStatus, 'matched'>;
  readonly reason: string;
  readonly rows: number;
  /** The first of them. */
  readonly examples: readonly SampledRow[];
}

export interface ReasonTallying {
  add(row: RowRecord): void;
  /** Adds the tally of later rows. */
  merge(later: readonly ReasonTally[]): void;
  facts(): readonly ReasonTally[];
}

const examplesKept = 3;

export function openReasonTally(): ReasonTallying {
  const kept = new Map<string, { -readonly [Key in keyof ReasonTally]: ReasonTally[Key] }>();
  const find = (status: ReasonTally['status'], reason: string) => {
    const key = `${status} ${reason}`;
    const known = kept.get(key) ?? { status, reason, rows: 0, examples: [] };
    kept.set(key, known);
    return known;
  };
  return {
    add(row) {
      if (row.status === 'matched' || row.status === 'open') return;
      const tally = find(row.status, row.reason ?? '');
      tally.rows += 1;
      if (tally.examples.length < examplesKept) {
        tally.examples = [...tally.examples, sampleRow(row)];
      }
    },
    merge(later) {
      for (const { status, reason, rows, examples } of later) {
        const tally = find(status, reason);
        tally.rows += rows;
        tally.examples = [...tally.examples, ...examples].slice(0, examplesKept);
      }
    },
    facts: () => [...kept.values()],
  };
}
