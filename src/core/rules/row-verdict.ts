import type { Match, Outcome, RowStatus, Source } from './outcomes.ts';

export interface RowEnd {
  readonly status: RowStatus;
  readonly reason: string | null;
  /** Null: use the answer's message. */
  readonly message: string | null;
  /** Null: use the match of the call that fetched the answer. */
  readonly match: Match | null;
}

export interface RowVerdict extends RowEnd {
  readonly next: 'people' | 'candidate' | undefined;
}

/** Returns shared constants, so rows with the same verdict can be completed together. */
export function verdictFor({ outcome }: { readonly outcome: Outcome }, source: Source): RowVerdict {
  switch (outcome) {
    case 'hit':
      return source === 'joined' ? joined : matched;
    case 'miss':
      return notFound;
    case 'invalid':
      return refused;
    case 'oversized':
      return oversized;
    case 'failed':
      return failed;
  }
}

const asAnswered = { reason: null, message: null, match: null } as const;
const matched: RowVerdict = { ...asAnswered, status: 'matched', next: 'people' };
const joined: RowVerdict = { ...matched, match: 'joined' };

export const unmatched = {
  matchedBy: null,
  match: null,
  fetchedAt: null,
  peopleComplete: null,
  isStale: false,
  company: undefined,
} as const;

export const suppressedEnd = {
  status: 'suppressed',
  reason: 'suppressed',
  message: 'The row or its company is suppressed.',
} as const;
export const expiredEnd = {
  status: 'not_found',
  reason: 'expired',
  message: 'The answer is older than `retain.companies` allows.',
} as const;
export const suppressed: RowVerdict = { ...asAnswered, ...suppressedEnd, next: undefined };

const notFound: RowVerdict = {
  ...asAnswered,
  status: 'not_found',
  reason: 'not_found',
  message: 'The service has no company with this identifier.',
  next: 'candidate',
};

const refused: RowVerdict = {
  ...asAnswered,
  status: 'invalid',
  reason: 'refused_by_service',
  next: 'candidate',
};

const oversized: RowVerdict = {
  ...asAnswered,
  status: 'failed',
  reason: 'oversized',
  next: undefined,
};

const failed: RowVerdict = {
  ...asAnswered,
  status: 'failed',
  reason: 'service_failed',
  next: undefined,
};
