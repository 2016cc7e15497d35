import type { CallRequest } from '../contract/call.ts';
import type { Outcome, Source } from './outcomes.ts';

/** For how long a job takes answers from the ledger instead of paying for new ones. */
export interface ReuseTerms {
  readonly companiesMs: number;
  readonly missesMs: number;
  readonly peopleMs: number;
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
  readonly runStartedAt: number;
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
  { operation, reuse, runStartedAt }: Omit<ReuseQuestion<AnswerAge>, 'own' | 'findAlias'>,
): boolean {
  // An answer that came since the run began is fresh for it, even where nothing older is reused.
  if (fetchedAt >= runStartedAt) return true;
  return runStartedAt - fetchedAt < shelfLifeMs(reuse, outcome, operation);
}

function shelfLifeMs(
  reuse: ReuseTerms,
  outcome: Outcome,
  operation: CallRequest['operation'],
): number {
  // A page that was refused leaves its search failed, and what failed is asked again.
  if (outcome === 'invalid' && operation === 'people') return 0;
  if (outcome !== 'hit') return reuse.missesMs;
  return operation === 'company' ? reuse.companiesMs : reuse.peopleMs;
}
