import type { CompanyCall } from '../contract/call.ts';
import type { Country } from '../contract/countries.ts';
import type { IdentifierKind } from '../contract/identifier-kinds.ts';

export type RowCandidate = readonly [kind: IdentifierKind, value: string];

export interface WaitingRow {
  readonly rowId: number;
  readonly callId: number;
  readonly country: Country;
  readonly candidates: readonly RowCandidate[];
  readonly place: number;
}

export interface NextCandidate {
  readonly place: number;
  readonly call: CompanyCall;
}

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
