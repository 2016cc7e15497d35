import type { Verdict } from '../../client/judge/verdict.ts';
import type { Attempt } from '../../client/make-attempt.ts';
import type { AnnouncedStop } from './announced-stop.ts';

/** What the calls of this run say of the service, beside what others say of it. */
export interface OwnEvidence {
  /** An attempt for this run has ended. */
  note(attempt: Pick<Attempt, 'verdict' | 'fetchedAt'>): void;
  /** Whether a stop that another run has announced holds for this one, too. */
  confirms(stop: Pick<AnnouncedStop, 'code' | 'atMs'>): boolean;
}

const answers: ReadonlySet<Verdict['kind']> = new Set(['hit', 'miss', 'invalid', 'oversized']);
const failures: ReadonlySet<Verdict['kind']> = new Set(['transient', 'unusable', 'unproven']);

/**
 * A short list of rows that always fail ends its run as if the service were down. A run that the service has
 * answered goes on until a call of its own fails after that; about the key and the quota one word is enough.
 */
export function openOwnEvidence(): OwnEvidence {
  let answeredAt = Number.NEGATIVE_INFINITY;
  let failedAt = Number.NEGATIVE_INFINITY;
  return {
    note({ verdict: { kind }, fetchedAt = 0 }) {
      if (answers.has(kind)) answeredAt = Math.max(answeredAt, fetchedAt);
      if (failures.has(kind)) failedAt = Math.max(failedAt, fetchedAt);
    },
    confirms({ code, atMs }) {
      if (code !== 'SERVICE_DOWN' || answeredAt === Number.NEGATIVE_INFINITY) return true;
      return answeredAt <= atMs && failedAt > atMs;
    },
  };
}
