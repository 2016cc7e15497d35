import { keyAt } from '../ledger/call-key.ts';
import { type Aliases, type Answered, type ReadAnswer, readAnswer } from './read-answer.ts';
import type { RunContext } from './run-context.ts';
import { pageOf, type SettledPage, settlePage } from './search-people.ts';
import { answersByCall, giveToRows, lookupOf, type SettledLookup } from './settle-company.ts';

/** A task of the run, and the answer that settles it. */
export type SettledTask = SettledLookup | SettledPage;

/**
 * Stores what the service answered and all that follows from it, inside one transaction. In which
 * order the answers of a group have come makes no difference: a call that was sent is not joined by
 * another's answer, and a row that moves on to a call of the group is given what that has brought.
 */
export function settleAnswered(context: RunContext, group: readonly Answered[]): void {
  const read = group.map((answered) => readAnswer(context.job.service.url, answered));
  const ids = context.ledger.calls.putAnswers(read.map(({ answer }) => answer));
  const tasks = read.map((item, index) => asSettled(item, ids[index] ?? 0));
  settleTasks(context, firstOfEachCall(tasks));
  for (const [index, task] of tasks.entries()) {
    const { aliases } = read[index] ?? {};
    if (task.operation === 'company' && aliases) joinOthers(context, task, aliases);
  }
}

/** Settles tasks by answers that the ledger holds, and their rows and searches with them. */
export function settleTasks(context: RunContext, tasks: readonly SettledTask[]): void {
  const { ledger, run, counts } = context;
  for (const [source, alike] of Map.groupBy(tasks, (task) => task.source)) {
    const settled = ledger.calls.settle(run.id, answersByCall(alike), source);
    counts.calls.open -= settled.all;
    counts.calls[source] += settled.all;
    counts.calls.failed += settled.failed;
  }
  giveToRows(
    context,
    tasks.filter((task) => task.operation === 'company'),
  );
  for (const task of tasks) if (task.operation === 'people') settlePage(context, task);
}

function asSettled({ answered, answer }: ReadAnswer, id: number): SettledTask {
  const { task, call, outcome } = answered;
  const known = { answer: { ...answer, id }, source: 'called' } as const;
  if (call.operation === 'company') return lookupOf(task, call, known);
  return pageOf(task, known, outcome.kind === 'hit' ? outcome.body : undefined);
}

/** What is settled stays settled, should a call ever be answered twice. */
function firstOfEachCall(tasks: readonly SettledTask[]): SettledTask[] {
  const seen = new Set<number>();
  return tasks.filter(({ callId }) => seen.size < seen.add(callId).size);
}

/** Lets an answer serve the calls of the run that ask for the same company under another name. */
function joinOthers(context: RunContext, { answer }: SettledLookup, aliases: Aliases): void {
  const { ledger, run, askedKinds } = context;
  for (const [place, call] of aliases.calls.entries()) {
    if (!askedKinds.has(call.identifier.kind)) continue;
    const callId = ledger.calls.openCall(run.id, keyAt(aliases.keys, place));
    if (callId === undefined) continue;
    settleTasks(context, [lookupOf({ callId }, call, { answer, source: 'joined' })]);
  }
}
