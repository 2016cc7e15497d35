import { parseCall } from '../contract/call.ts';
import { callKey } from '../ledger/call-key.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import type { OpenTask } from '../ledger/tasks.ts';
import { type AnswerAtHand, answerAtHand } from './answer-at-hand.ts';
import type { RunContext } from './run-context.ts';
import { pageOf } from './search-people.ts';
import { lookupOf } from './settle-company.ts';
import { settleTasks } from './settle-task.ts';

/** Calls that a run would not make, by what the ledger knows instead. */
export interface AnswersAtHand {
  companies: number;
  /** Companies that the service did not know, or did not want to be asked for. */
  misses: number;
  peoplePages: number;
}

/** Looked at in one transaction of the draft. */
const tasksAtOnce = 1_000;

/**
 * Settles the open tasks of a drafted run by the answers of the job's ledger, with all that follows
 * from them, as a run would before its first call. What stays open has to be asked.
 */
export function settleAtHand(draft: RunContext, past: Ledger | undefined): AnswersAtHand {
  const found: AnswersAtHand = { companies: 0, misses: 0, peoplePages: 0 };
  if (!past) return found;
  let hasSettled = true;
  // A settled task may open others before the place that has been reached, so it begins anew.
  while (hasSettled) {
    hasSettled = false;
    let after = 0;
    for (;;) {
      const tasks = draft.ledger.calls.openTasks(draft.run.id, after, tasksAtOnce);
      draft.ledger.together(() => {
        for (const task of tasks) {
          const kind = settleTask(draft, past, task);
          if (!kind) continue;
          found[kind] += 1;
          hasSettled = true;
        }
      });
      const last = tasks.at(-1);
      if (!last) break;
      after = last.callId;
    }
  }
  return found;
}

/** The answer that the job's ledger has for a call of the draft. */
export function pastAnswer(
  draft: RunContext,
  past: Ledger,
  { request }: Pick<OpenTask, 'request'>,
): AnswerAtHand | undefined {
  const { operation } = parseCall(request);
  // The draft numbers its calls for itself; a call that nobody has asked may have an alias.
  const callId = past.calls.find(callKey(draft.job.service.url, request)) ?? 0;
  const own = past.calls.newestAnswer(callId);
  return answerAtHand({ ...draft, ledger: past }, { callId, request }, operation, own);
}

function settleTask(
  draft: RunContext,
  past: Ledger,
  task: OpenTask,
): keyof AnswersAtHand | undefined {
  const known = pastAnswer(draft, past, task);
  if (!known) return undefined;
  const call = parseCall(task.request);
  const isHit = known.answer.outcome === 'hit';
  const isFullPage = call.operation === 'people' && isHit;
  const body = (isFullPage && past.calls.body(known.answer.id)) || undefined;
  // A run finds that this one is damaged, and asks again.
  if (isFullPage && !body) return undefined;

  const { callId } = task;
  const copy = { ...known.answer, callId, status: null, attempts: 0, durationMs: 0, body: null };
  const [id = 0] = draft.ledger.calls.putAnswers([copy]);
  const drafted = { answer: { ...copy, id }, source: known.source };
  const settled =
    call.operation === 'company' ? lookupOf(task, call, drafted) : pageOf(task, drafted, body);
  settleTasks(draft, [settled]);
  if (call.operation === 'people') return 'peoplePages';
  return isHit ? 'companies' : 'misses';
}
