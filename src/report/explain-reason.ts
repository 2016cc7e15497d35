import { type RejectCode, rejectCatalog } from '../identify/rejects.ts';
import type { ReasonTally } from '../sinks/tally/run-tally.ts';
import type { ReasonFacts } from './data/report-data.ts';

/** Reasons that are found out by asking, or by not being able to. */
const otherReasons: Readonly<Record<string, { message: string; fix: string }>> = {
  not_found: {
    message: 'The service knows no company under this identifier.',
    fix: 'Check the spelling, or add a column with another identifier to be tried next.',
  },
  mismatch: {
    message: 'The service answered with a company that has another identifier.',
    fix: 'Look at the row; `onMismatch: keep` in the job takes such answers, marked.',
  },
  refused_by_service: {
    message: 'The service does not accept this identifier.',
    fix: 'Read its message, mend the row and run it again.',
  },
  oversized: {
    message: 'The answer is larger than Dossier takes.',
    fix: 'Ask the service about it. It was paid for, so it is asked for again only when `reuse.misses` is over.',
  },
  service_failed: {
    message: 'The service gave no usable answer, however often it was asked.',
    fix: 'Run the job again: only what failed is asked once more.',
  },
  damaged_answer: {
    message: 'The stored answer is damaged.',
    fix: 'Run the job again to fetch it anew.',
  },
};

/** Their rows have something to tell that the reason alone does not. */
const saysMore: ReadonlySet<string> = new Set([
  'refused_by_service',
  'oversized',
  'service_failed',
]);

/** Finds the cell of a row that was rejected for a reason; undefined where it cannot be told. */
export type RejectedCell = (row: number, reason: string) => string | undefined;

/** A reason with what is wrong and what to do, in sentences. */
export function explainReason(
  { status, reason, rows, examples }: ReasonTally,
  rejectedCell: RejectedCell = () => undefined,
): ReasonFacts {
  const known = isRejectCode(reason) ? rejectCatalog[reason] : otherReasons[reason];
  return {
    status,
    reason,
    rows,
    message: known?.message ?? examples[0]?.message ?? '',
    fix: known?.fix ?? '',
    examples: examples.map(({ row, input, identifier, message }) => {
      const cell = identifier ?? rejectedCell(row, reason);
      return {
        row,
        input,
        ...(cell !== undefined && { cell }),
        ...(saysMore.has(reason) && message !== undefined && { message }),
      };
    }),
  };
}

function isRejectCode(reason: string): reason is RejectCode {
  return Object.hasOwn(rejectCatalog, reason);
}
