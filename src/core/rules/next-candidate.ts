import type { CompanyCall } from '../contract/call.ts';
import type { Country } from '../contract/countries.ts';
import type { IdentifierKind } from '../contract/identifier-kinds.ts';
import type { RowRegister } from '../names/row-register.ts';

export type RowCandidate = readonly [
  kind: IdentifierKind,
  value: string,
  /** Set if a register found it by name: folded names, one of which the answer should have. */
  names?: readonly string[],
];

/**
 * The end of a row's stored candidates if the last one has names. It is tested as text, so the format of
 * `RowCandidate` must not change, and candidates found by name must stay last.
 */
const endOfNames = ']]]';
export const isFoundByName = (candidates: string) => candidates.endsWith(endOfNames);
export const isFoundByNameSql = (column: string) => `${column} like '%${endOfNames}'`;

/** A row of an earlier list that got something from a register. */
export interface RegisterRow {
  readonly cells: readonly (string | null)[];
  readonly candidates: readonly RowCandidate[];
  /** Read only if all rows were asked for. */
  readonly register: RowRegister | undefined;
}

export interface WaitingRow {
  readonly rowId: number;
  readonly callId: number;
  readonly country: Country;
  readonly candidates: readonly RowCandidate[];
  readonly candidateIndex: number;
}

export interface NextCandidate {
  readonly candidateIndex: number;
  /** Of the service that is asked, among those of the job. */
  readonly serviceIndex: number;
  readonly call: CompanyCall;
}

/** Whether a service takes identifiers of a kind. Others are never sent to it. */
export type Takes = (kind: IdentifierKind) => boolean;

type TriedRow = Pick<WaitingRow, 'country' | 'candidates'> &
  Partial<Pick<NextCandidate, 'candidateIndex' | 'serviceIndex'>>;

/**
 * All given identifiers at the first service, best first; after they missed, all at the next. Only
 * after the last service comes what a register found by name, again from the first service on.
 */
export function nextCandidate(row: TriedRow, takes: readonly Takes[]): NextCandidate | undefined {
  const { country, candidates, candidateIndex: last = -1, serviceIndex: current = 0 } = row;
  const firstByName = candidates.findIndex(([, , names]) => names !== undefined);
  const given = firstByName === -1 ? candidates.length : firstByName;
  const find = (start: number, end: number, from: number, firstService: number) => {
    let candidateIndex = from;
    for (let serviceIndex = firstService; serviceIndex < takes.length; serviceIndex += 1) {
      for (; candidateIndex < end; candidateIndex += 1) {
        const [kind, value] = candidates[candidateIndex] as RowCandidate;
        if (!takes[serviceIndex]?.(kind)) continue;
        const call = { operation: 'company', identifier: { kind, value }, country } as const;
        return { candidateIndex, serviceIndex, call };
      }
      candidateIndex = start;
    }
    return undefined;
  };
  if (last >= given) return find(given, candidates.length, last + 1, current);
  return find(0, given, last + 1, current) ?? find(given, candidates.length, given, 0);
}

export function laterCandidates(row: TriedRow, takes: readonly Takes[]): NextCandidate[] {
  const later: NextCandidate[] = [];
  for (let next = nextCandidate(row, takes); next; next = nextCandidate({ ...row, ...next }, takes))
    later.push(next);
  return later;
}
