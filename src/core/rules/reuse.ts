import type { Call } from '../contract/call.ts';
import { dayMs } from '../values/duration.ts';
import type { CallResultKind, Source } from './outcomes.ts';

export interface ReuseTerms {
  readonly companiesMs: number;
  readonly missesMs: number;
  readonly peopleMs: number;
  /** Shortens reuse times by up to this share, so answers do not all expire in one night. */
  readonly spread: number;
  /** Maximum age of an answer that is used if a new call fails or is not made. */
  readonly staleOnFailureMs: number;
  readonly refusedMs?: number;
}

interface AnswerAge {
  readonly result: CallResultKind;
  readonly companyId: string | null;
  readonly fetchedAt: number;
  /** Set for a miss that expires earlier than others. */
  readonly maxAgeMs?: number;
}

export interface CacheHit<Answer> {
  readonly answer: Answer;
  readonly source: Exclude<Source, 'called'>;
  /** Infinity if the run itself paid for the answer. */
  readonly freshUntil: number;
}

interface ReuseQuestion<Answer extends AnswerAge> {
  readonly operation: Call['operation'];
  readonly key: Buffer;
  readonly reuse: ReuseTerms;
  readonly asOf: number;
  /** See `findPaidSince`. */
  readonly paidSince: number;
  /** The newest answer that an earlier run used for the call: its own, or that of an alias. */
  readonly newest: Answer | undefined;
  readonly isNewestFromAlias: boolean;
  /** Skips answers of this run: their order of arrival must not decide a row's outcome. */
  readonly findAlias: () => Answer | undefined;
}

/** Prefers the call's own fresh answer, even a miss. */
export function chooseCached<Answer extends AnswerAge>(
  question: ReuseQuestion<Answer>,
): CacheHit<Answer> | undefined {
  const { operation, asOf, newest, isNewestFromAlias, findAlias } = question;
  const ifFresh = (answer: Answer, source: CacheHit<Answer>['source']) => {
    const freshUntil = expiryOf(answer, question);
    return asOf < freshUntil ? { answer, source, freshUntil } : undefined;
  };
  const fresh = newest && ifFresh(newest, isNewestFromAlias ? 'joined' : 'reused');
  if (fresh?.source === 'reused') return fresh;
  const alias = operation === 'company' ? findAlias() : undefined;
  // If the call itself once returned a different company, only a new call can decide.
  if (!alias || (newest?.result === 'hit' && newest.companyId !== alias.companyId))
    return undefined;
  // Prefer the alias answer that an earlier run used, so a repeated run gives the same result.
  return fresh ?? ifFresh(alias, 'joined');
}

function expiryOf(
  { result, fetchedAt, maxAgeMs = Number.POSITIVE_INFINITY }: AnswerAge,
  { operation, key, reuse, paidSince }: ReuseQuestion<AnswerAge>,
) {
  if (fetchedAt >= paidSince) return Number.POSITIVE_INFINITY;
  const lifeMs =
    shelfLifeMs(reuse, result, operation) * (1 - reuse.spread * shareOf(key, fetchedAt));
  return fetchedAt + Math.min(lifeMs, maxAgeMs);
}

/**
 * After 11 days the same bytes of the key decide again. Usual reuse times, such as 30 or 90 days, are
 * no multiples of 11, so the next answer to a call gets another share.
 */
const partsOfKey = 11;

/**
 * How much of `reuse.spread` shortens the life of an answer, from 0 to 1. The day of the fetch, modulo
 * 11, chooses four bytes of the key, so calls that expire in one night expire in different nights
 * the next time.
 */
function shareOf(key: Buffer, fetchedAt: number) {
  return key.readUInt32BE(Math.abs(Math.floor(fetchedAt / dayMs)) % partsOfKey) / 2 ** 32;
}

export function shelfLifeMs(
  reuse: ReuseTerms,
  result: CallResultKind,
  operation: Call['operation'],
): number {
  // A refused page fails its search, and failed searches are repeated.
  if (result === 'invalid' && operation === 'people') return 0;
  if (result === 'miss') return reuse.missesMs;
  if (result !== 'hit') return reuse.refusedMs ?? reuse.missesMs;
  return operation === 'company' ? reuse.companiesMs : reuse.peopleMs;
}
