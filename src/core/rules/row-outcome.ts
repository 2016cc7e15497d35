import type { IdentifierKind } from '../contract/identifier-kinds.ts';
import type { CallResultKind, Match, RowStatus, Source } from './outcomes.ts';

/** What an answer makes of its row. If `next` is set and possible, that comes before the outcome. */
export interface RowOutcome {
  readonly status: RowStatus;
  readonly reason: string | null;
  /** Null: use the answer's message. */
  readonly message: string | null;
  /** Null: use the match of the call that fetched the answer. */
  readonly match: Match | null;
  readonly next: 'people' | 'candidate' | undefined;
}

/** Returns shared constants, so rows with the same outcome can be completed together. */
export function rowOutcomeFor(
  { result }: { readonly result: CallResultKind },
  source: Source,
): RowOutcome {
  switch (result) {
    case 'hit':
      return source === 'joined' ? joined : matched;
    case 'miss':
      return notFound;
    case 'invalid':
      return refused;
    case 'oversized':
      return oversized;
    case 'unreadable':
      return unreadable;
    case 'failed':
      return failed;
  }
}

const asAnswered = { reason: null, message: null, match: null } as const;
const matched: RowOutcome = { ...asAnswered, status: 'matched', next: 'people' };
const joined: RowOutcome = { ...matched, match: 'joined' };

export const unmatched = {
  matchedBy: null,
  match: null,
  fetchedAt: null,
  peopleComplete: null,
  isStale: false,
  company: undefined,
} as const;

export const suppressedOutcome = {
  status: 'suppressed',
  reason: 'suppressed',
  message: 'The row or its company is suppressed.',
} as const;
export const expiredOutcome = {
  status: 'not_found',
  reason: 'expired',
  message: 'The answer is older than `retain.companies` allows.',
} as const;
export const suppressed: RowOutcome = { ...asAnswered, ...suppressedOutcome, next: undefined };

const notFound: RowOutcome = {
  ...asAnswered,
  status: 'not_found',
  reason: 'not_found',
  message: 'The service has no company with this identifier.',
  next: 'candidate',
};

const refused: RowOutcome = {
  ...asAnswered,
  status: 'invalid',
  reason: 'refused_by_service',
  next: 'candidate',
};

/** Nothing was sent, so the row costs nothing. */
export function notTaken(kinds: readonly IdentifierKind[]) {
  const message = `The service does not take ${[...new Set(kinds)].join(', ')}, so nothing was looked up.`;
  return { status: refused.status, reason: 'kind_not_taken', message };
}

const oversized: RowOutcome = {
  ...asAnswered,
  status: 'failed',
  reason: 'oversized',
  next: undefined,
};

const unreadable: RowOutcome = { ...oversized, reason: 'unreadable' };

const failed: RowOutcome = {
  ...asAnswered,
  status: 'failed',
  reason: 'service_failed',
  next: undefined,
};
