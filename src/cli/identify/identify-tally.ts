import type { IdentifierKind } from '../../contract/identifier-kinds.ts';
import { type CellResult, isReject } from '../../identify/identifier.ts';
import type { RejectCode } from '../../identify/rejects.ts';

/** A number of values, and the first of them as an example. */
export interface Count {
  readonly count: number;
  readonly example: string;
}

/** What `identify --summary --json` prints. */
export interface TallyCounts {
  readonly values: number;
  readonly accepted: number;
  readonly rejected: number;
  readonly kinds: Readonly<Partial<Record<IdentifierKind, Count>>>;
  readonly reasons: Readonly<Partial<Record<RejectCode, Count>>>;
  /** ABNs that were derived from an ACN. */
  readonly derived: number;
  /** Values that are equal, once cleaned, to an earlier value of their column. */
  readonly duplicates: Count;
}

export function startTally() {
  const kinds = new Map<IdentifierKind, Count>();
  const reasons = new Map<RejectCode, Count>();
  const seen = new Set<string>();
  let values = 0;
  let derived = 0;
  let duplicates: Count = { count: 0, example: '' };

  return {
    /** Duplicates count within a column only: a row's e-mail address and website often agree. */
    add(input: string, result: CellResult, column = ''): void {
      values += 1;
      if (isReject(result)) {
        reasons.set(result.reject, oneMore(reasons.get(result.reject), input));
        return;
      }
      kinds.set(result.kind, oneMore(kinds.get(result.kind), input));
      if (result.derivedFrom !== undefined) derived += 1;
      const key = `${column}\n${result.kind} ${result.value}`;
      if (seen.has(key)) duplicates = oneMore(duplicates.count > 0 ? duplicates : undefined, input);
      seen.add(key);
    },

    counts(): TallyCounts {
      const accepted = [...kinds.values()].reduce((sum, { count }) => sum + count, 0);
      return {
        values,
        accepted,
        rejected: values - accepted,
        kinds: mostFirst(kinds),
        reasons: mostFirst(reasons),
        derived,
        duplicates,
      };
    },
  };
}

function oneMore(before: Count | undefined, input: string): Count {
  return { count: (before?.count ?? 0) + 1, example: before?.example ?? input };
}

function mostFirst<Key extends string>(counts: ReadonlyMap<Key, Count>) {
  const sorted = [...counts].sort(([, one], [, other]) => other.count - one.count);
  return Object.fromEntries(sorted) as Partial<Record<Key, Count>>;
}
