import type { Attempt } from '../../client/make-attempt.ts';
import type { BodyBudget } from '../../client/wire/body-budget.ts';
import type { CallOutcome } from '../../contract/call.ts';
import type { SharedAnswer } from '../answers/share-answers.ts';

/** An attempt whose answer lies in Redis; its body counts here from now on. */
export function takenAnswer(
  bodies: Pick<BodyBudget, 'open'>,
  { kind, status, body, companyId, durationMs, fetchedAt }: SharedAnswer,
  isOwn = false,
): Attempt {
  const room = bodies.open();
  room.take(body.length);
  room.close(body.length);
  return {
    verdict: kind === 'hit' && companyId !== undefined ? { kind, companyId } : { kind },
    answer: { status, headers: {}, body },
    durationMs,
    fetchedAt,
    ...(!isOwn && { isReused: true }),
  };
}

/** The outcome of a call whose answer was there before it was asked. */
export function takenOutcome(bodies: Pick<BodyBudget, 'open'>, found: SharedAnswer): CallOutcome {
  const { verdict, answer, durationMs, ...fetched } = takenAnswer(bodies, found);
  const { status, body } = answer;
  const facts = { status, body, attempts: 0, durationMs, ...fetched };
  return verdict.kind === 'hit' ? { ...verdict, ...facts } : { kind: 'miss', ...facts };
}

/** An attempt that brought nothing; `endedAt` is by the clock of Redis, as with answers. */
export function noAnswer(
  verdict: Attempt['verdict'],
  {
    endedAt,
    status = 0,
    durationMs = 0,
  }: { readonly endedAt: number; readonly status?: number; readonly durationMs?: number },
): Attempt {
  const answer = { status, headers: {}, body: Buffer.alloc(0) };
  return { verdict, answer, durationMs, fetchedAt: endedAt };
}
