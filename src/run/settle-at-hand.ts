import { type CallRequest, parseCall } from '../contract/call.ts';
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
        const kinds = settleKnown(draft, past, tasks);
        for (const kind of kinds) found[kind] += 1;
        if (kinds.length > 0) hasSettled = true;
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

/** Settles those of the tasks that the past ledger knows, and says what they were. */
function settleKnown(
  draft: RunContext,
  past: Ledger,
  tasks: readonly OpenTask[],
): (keyof AnswersAtHand)[] {
  const kinds: (keyof AnswersAtHand)[] = [];
  const lookups: KnownTask[] = [];
  for (const task of tasks) {
    const known = knownTask(draft, past, task);
    if (!known) continue;
    kinds.push(kindOf(known));
    if (known.call.operation === 'company') lookups.push(known);
    // One at a time, since a page may hold many people.
    else settleByCopies(draft, [known]);
  }
  settleByCopies(draft, lookups);
  return kinds;
}

interface KnownTask extends AnswerAtHand {
  readonly task: OpenTask;
  readonly call: CallRequest;
  /** Of a page of people. */
  readonly body: Buffer | undefined;
}

function knownTask(draft: RunContext, past: Ledger, task: OpenTask): KnownTask | undefined {
  const known = pastAnswer(draft, past, task);
  if (!known) return undefined;
  const call = parseCall(task.request);
  const isFullPage = call.operation === 'people' && known.answer.outcome === 'hit';
  const body = (isFullPage && past.calls.body(known.answer.id)) || undefined;
  // A run finds that this one is damaged, and asks again.
  return isFullPage && !body ? undefined : { ...known, task, call, body };
}

/** The draft has answers of its own, without bodies. */
function settleByCopies(draft: RunContext, known: readonly KnownTask[]): void {
  const facts = { status: null, attempts: 0, durationMs: 0, body: null };
  const copies = known.map(({ task, answer }) => ({ ...answer, ...facts, callId: task.callId }));
  const ids = draft.ledger.calls.putAnswers(copies);
  const settled = known.map(({ task, call, source, answer, body }, index) => {
    const copy = { answer: { ...answer, id: ids[index] ?? 0, callId: task.callId }, source };
    return call.operation === 'company' ? lookupOf(task, call, copy) : pageOf(task, copy, body);
  });
  settleTasks(draft, settled);
}

function kindOf({ call, answer }: KnownTask): keyof AnswersAtHand {
  if (call.operation === 'people') return 'peoplePages';
  return answer.outcome === 'hit' ? 'companies' : 'misses';
}
