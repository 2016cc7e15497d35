import type { CompanyCall } from '../contract/call.ts';
import type { Country } from '../contract/countries.ts';
import type { IdentifierKind } from '../contract/identifier-kinds.ts';

/** An identifier that a row may ask for: kind and clean value. */
export type RowCandidate = readonly [kind: IdentifierKind, value: string];

/** A row that waits for the call of one of its candidates. */
export interface WaitingRow {
  readonly rowId: number;
  /** The call that it waits for. */
  readonly callId: number;
  readonly country: Country;
  /** What to ask for, best first. */
  readonly candidates: readonly RowCandidate[];
  /** Which of the candidates it waits for, from 0. */
  readonly place: number;
}

export interface NextCandidate {
  readonly place: number;
  readonly call: CompanyCall;
}

/** The candidates that a row has after the one it waits for, in their order. */
export function laterCandidates({
  country,
  candidates,
  place,
}: Pick<WaitingRow, 'country' | 'candidates' | 'place'>): NextCandidate[] {
  return candidates.slice(place + 1).map(([kind, value], index) => ({
    place: place + 1 + index,
    call: { operation: 'company', identifier: { kind, value }, country },
  }));
}
