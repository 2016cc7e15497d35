import type { CompanyCall } from '../contract/call.ts';
import type { Country } from '../contract/countries.ts';
import type { IdentifierKind } from '../contract/identifier-kinds.ts';

export type RowCandidate = readonly [kind: IdentifierKind, value: string];

export interface WaitingRow {
  readonly rowId: number;
  readonly callId: number;
  readonly country: Country;
  readonly candidates: readonly RowCandidate[];
  readonly candidateIndex: number;
}

export interface NextCandidate {
  readonly candidateIndex: number;
  readonly call: CompanyCall;
}

export function laterCandidates({
  country,
  candidates,
  candidateIndex = -1,
}: Pick<WaitingRow, 'country' | 'candidates'> & Partial<WaitingRow>): NextCandidate[] {
  return candidates.slice(candidateIndex + 1).map(([kind, value], index) => ({
    candidateIndex: candidateIndex + 1 + index,
    call: { operation: 'company', identifier: { kind, value }, country },
  }));
}
