import type { CallRequest } from '../contract/call.ts';
import type { Outcome, Source } from './outcomes.ts';

/** For how long a job takes answers from the ledger instead of paying for new ones. */
export interface ReuseTerms {
  readonly companiesMs: number;
  readonly missesMs: number;
  readonly peopleMs: number;
  /** For answers that are refused or oversized; as for misses where it is not given. */
  readonly refusedMs?: number;
}

/** What decides whether an answer is fresh. */
interface AnswerAge {
  readonly outcome: Outcome;
  readonly companyId: string | null;
  readonly fetchedAt: number;
}

/** A cache hit: an answer that a call takes without being sent. */
export interface CacheHit<Answer> {
  readonly answer: Answer;
  readonly source: Exclude<Source, 'called'>;
}

interface ReuseQuestion<Answer extends AnswerAge> {
  readonly operation: CallRequest['operation'];
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
  const { operation, own, isOwnJoined, findAlias } = question;
  const isOwnFresh = own !== undefined && isFresh(own, question);
  if (isOwnFresh && !isOwnJoined) return { answer: own, source: 'reused' };
  const alias = operation === 'company' ? findAlias() : undefined;
  // The call itself had brought another company, however long ago: only asking tells which is meant.
  if (!alias || (own?.outcome === 'hit' && own.companyId !== alias.companyId)) return undefined;
  // The answer that joined the call before joins it again, so that another run tells the same.
  const answer = isOwnFresh ? own : alias;
  return isFresh(answer, question) ? { answer, source: 'joined' } : undefined;
}

function isFresh(
  { outcome, fetchedAt }: Pick<AnswerAge, 'outcome' | 'fetchedAt'>,
  { operation, reuse, asOf, ownSince }: Omit<ReuseQuestion<AnswerAge>, 'own' | 'findAlias'>,
): boolean {
  // What a run has paid for is fresh for it until it ends, even where nothing older is reused.
  if (fetchedAt >= ownSince) return true;
  return asOf - fetchedAt < shelfLifeMs(reuse, outcome, operation);
}

/** The times from which answers are fresh, by what they are. */
export function freshFrom({ companiesMs, missesMs, peopleMs }: ReuseTerms, asOf: number) {
  // The next millisecond: an answer that is exactly as old as its shelf life is stale.
  const from = (shelfLife: number) => Math.max(0, asOf - shelfLife + 1);
  return { companies: from(companiesMs), misses: from(missesMs), people: from(peopleMs) };
}

function shelfLifeMs(
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
