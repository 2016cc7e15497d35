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
  /** Looks up a company that was answered under another of its identifiers. */
  readonly findAlias: () => Answer | undefined;
}

/**
 * Chooses the answer that a call may take from the ledger. A fresh company of its own comes first,
 * then one that was answered under another identifier, then a fresh miss of its own.
 */
export function chooseCached<Answer extends AnswerAge>(
  question: ReuseQuestion<Answer>,
): CacheHit<Answer> | undefined {
  const { operation, own, isOwnJoined, findAlias } = question;
  const isOwnFresh = own !== undefined && isFresh(own, question);
  if (isOwnFresh && own.outcome === 'hit') {
    return { answer: own, source: isOwnJoined ? 'joined' : 'reused' };
  }
  const alias = operation === 'company' ? findAlias() : undefined;
  if (alias && isFresh(alias, question)) return { answer: alias, source: 'joined' };
  return isOwnFresh ? { answer: own, source: 'reused' } : undefined;
}

function isFresh(
  { outcome, fetchedAt }: AnswerAge,
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
