import type { CompanyCall } from '../contract/call.ts';
import type { WaitingRow } from '../ledger/runs/rows.ts';

export interface NextCandidate {
  /** Which of the row's candidates it is, from 0. */
  readonly place: number;
  readonly call: CompanyCall;
}

/** The candidates that a row has after the one it waits for, in their order. */
export function laterCandidates({ country, candidates, place }: WaitingRow): NextCandidate[] {
  return candidates.slice(place + 1).map(([kind, value], index) => ({
    place: place + 1 + index,
    call: { operation: 'company', identifier: { kind, value }, country },
  }));
}
