import type { CallRequest } from '../contract/call.ts';
import type { Outcome, Source } from './outcomes.ts';

/** For how long a job takes answers from the ledger instead of paying for new ones. */
export interface ReuseTerms {
  readonly companiesMs: number;
  readonly missesMs: number;
  readonly peopleMs: number;
  /** Answers live up to this share shorter, each by its call, so that not all expire on one night. */
  readonly spread: number;
  /** How old an answer may be that a row keeps when the call for a newer one fails or is not made. */
  readonly staleOnFailureMs: number;
  /** For answers that are refused or oversized; as for misses where it is not given. */
  readonly refusedMs?: number;
}

/** What decides whether an answer is fresh. */
interface AnswerAge {
  readonly outcome: Outcome;
  readonly companyId: string | null;
  readonly fetchedAt: number;
  /** Set on a miss that is not proven yet. */
  readonly unprovenId?: number | null;
}

/** Unproven misses are looked up again after this time: the next night. */
const unprovenMs = 20 * 3_600_000;

/** A cache hit: an answer that a call takes without being sent. */
export interface CacheHit<Answer> {
  readonly answer: Answer;
  readonly source: Exclude<Source, 'called'>;
  /** When it expires; never where the run has paid for it itself. */
  readonly freshUntil: number;
}

interface ReuseQuestion<Answer extends AnswerAge> {
  readonly operation: CallRequest['operation'];
  /** Key of the call, which decides how much shorter its answers live. */
  readonly key: Buffer;
  readonly reuse: ReuseTerms;
  /** The last start of the run: the age of an answer counts from here. */
  readonly asOf: number;
  /** Answers since then were paid for by the run, or by an unfinished run that it takes the place of. */
  readonly ownSince: number;
  /** The newest answer that stands for the call, and whether another call brought it. */
  readonly own: Answer | undefined;
  readonly isOwnJoined: boolean;
  /** Looks up the one company that was answered under another of its identifiers before the run. */
  readonly findAlias: () => Answer | undefined;
}

/**
 * Chooses the answer that a call may take from the ledger. A fresh one of its own comes first, be it a
 * miss; then a company that was answered under another identifier. Answers that come during the run
 * join no call of it: which one came first must not decide what a row gets.
 */
export function chooseCached<Answer extends AnswerAge>(
  question: ReuseQuestion<Answer>,
): CacheHit<Answer> | undefined {
  const { operation, asOf, own, isOwnJoined, findAlias } = question;
  const isOwnFresh = own !== undefined && asOf < freshUntil(own, question);
  if (isOwnFresh && !isOwnJoined)
    return { answer: own, source: 'reused', freshUntil: freshUntil(own, question) };
  const alias = operation === 'company' ? findAlias() : undefined;
  // The call itself had brought another company, however long ago: only asking tells which is meant.
  if (!alias || (own?.outcome === 'hit' && own.companyId !== alias.companyId)) return undefined;
  // The answer that joined the call before joins it again, so that another run tells the same.
  const answer = isOwnFresh ? own : alias;
  const until = freshUntil(answer, question);
  return asOf < until ? { answer, source: 'joined', freshUntil: until } : undefined;
}

function freshUntil(
  { outcome, fetchedAt, unprovenId }: Omit<AnswerAge, 'companyId'>,
  { operation, key, reuse, ownSince }: Omit<ReuseQuestion<AnswerAge>, 'own' | 'findAlias'>,
): number {
  // What a run has paid for is fresh for it until it ends, even where nothing older is reused.
  if (fetchedAt >= ownSince) return Number.POSITIVE_INFINITY;
  const lifeMs =
    shelfLifeMs(reuse, outcome, operation) * (1 - reuse.spread * shareOf(key, fetchedAt));
  const isUnproven = outcome !== 'hit' && unprovenId;
  return fetchedAt + (isUnproven ? Math.min(lifeMs, unprovenMs) : lifeMs);
}

const dayMs = 24 * 3_600_000;
/** So many different parts of a key are read, and no usual time of reuse is a multiple of as many days. */
const partsOfKey = 11;

/**
 * A number from 0 to 1 that is the same whenever the age of an answer is asked for. Keys are hashes, so it
 * spreads evenly; another day reads another part of the key, so that calls which expire on one night do
 * not all do so the next time, too.
 */
function shareOf(key: Buffer, fetchedAt: number): number {
  return key.readUInt32BE(Math.floor(fetchedAt / dayMs) % partsOfKey) / 2 ** 32;
}

export function shelfLifeMs(
  reuse: ReuseTerms,
  outcome: Outcome,
  operation: CallRequest['operation'],
): number {
  // A page that was refused leaves its search failed, and what failed is asked again.
  if (outcome === 'invalid' && operation === 'people') return 0;
  if (outcome === 'miss') return reuse.missesMs;
  if (outcome !== 'hit') return reuse.refusedMs ?? reuse.missesMs;
  return operation === 'company' ? reuse.companiesMs : reuse.peopleMs;
}
