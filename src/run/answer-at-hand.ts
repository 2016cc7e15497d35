import type { CallRequest } from '../contract/call.ts';
import type { KnownAnswer } from '../ledger/answers.ts';
import { callKey } from '../ledger/call-key.ts';
import type { OpenTask, Source } from '../ledger/tasks.ts';
import type { RunContext } from './run-context.ts';

export interface AnswerAtHand {
  readonly answer: KnownAnswer;
  readonly source: Source;
}

/**
 * An answer that the ledger holds and that the job takes as fresh enough: it is not paid twice.
 * `own` is the newest answer of the task's call.
 */
export function answerAtHand(
  context: RunContext,
  { callId, request }: Pick<OpenTask, 'callId' | 'request'>,
  operation: CallRequest['operation'],
  own: KnownAnswer | undefined,
): AnswerAtHand | undefined {
  const { ledger, job } = context;
  const isOwnFresh = own !== undefined && isFresh(context, own, operation);
  if (isOwnFresh && own.outcome === 'hit') {
    return { answer: own, source: own.callId === callId ? 'reused' : 'joined' };
  }

  // A company that came under another of its identifiers is better than an old miss.
  const isCompany = operation === 'company';
  const other = isCompany ? ledger.calls.aliasAnswer(callKey(job.service.url, request)) : undefined;
  if (other && isFresh(context, other, operation)) return { answer: other, source: 'joined' };
  return isOwnFresh ? { answer: own, source: 'reused' } : undefined;
}

function isFresh(
  { job, run }: RunContext,
  answer: KnownAnswer,
  operation: CallRequest['operation'],
): boolean {
  // What came since the run began is fresh for it, even where nothing older may be reused.
  if (answer.fetchedAt >= run.startedAt) return true;
  return run.startedAt - answer.fetchedAt < shelfLifeMs(job.reuse, answer, operation);
}

function shelfLifeMs(
  reuse: RunContext['job']['reuse'],
  { outcome }: KnownAnswer,
  operation: CallRequest['operation'],
): number {
  // A page that was refused leaves its search failed, and what failed is asked again.
  if (outcome === 'invalid' && operation === 'people') return 0;
  if (outcome !== 'hit') return reuse.missesMs;
  return operation === 'company' ? reuse.companiesMs : reuse.peopleMs;
}
