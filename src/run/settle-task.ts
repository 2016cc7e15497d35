import type { CompanyCall } from '../contract/call.ts';
import type { KnownAnswer } from '../ledger/answers.ts';
import { keyAt } from '../ledger/call-key.ts';
import { type Answered, type ReadAnswer, readAnswer } from './read-answer.ts';
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
  const stored = storeAnswers(context, group);
  settleTasks(context, firstOfEachCall(stored.map(asSettled)));
  settleTasks(context, firstOfEachCall(joinedBy(context, stored)));
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

interface StoredAnswer extends Pick<ReadAnswer, 'answered' | 'aliases'> {
  readonly answer: KnownAnswer;
}

function storeAnswers({ ledger, job }: RunContext, group: readonly Answered[]): StoredAnswer[] {
  const read = group.map((answered) => readAnswer(job.service.url, answered));
  const ids = ledger.calls.putAnswers(read.map(({ answer }) => answer));
  return read.map(({ answered, answer, aliases }, index) => ({
    answered,
    answer: { ...answer, id: ids[index] ?? 0 },
    aliases,
  }));
}

function asSettled({ answered: { task, call, outcome }, answer }: StoredAnswer): SettledTask {
  const known = { answer, source: 'called' } as const;
  if (call.operation === 'company') return lookupOf(task, call, known);
  return pageOf(task, known, outcome.kind === 'hit' ? outcome.body : undefined);
}

/** What is settled stays settled, should a call be answered twice, or be joined by two answers. */
function firstOfEachCall(tasks: readonly SettledTask[]): SettledTask[] {
  const seen = new Set<number>();
  return tasks.filter(({ callId }) => seen.size < seen.add(callId).size);
}

/** Open calls of the run that ask for the same companies under other names: they are served, too. */
function joinedBy({ ledger, run, askedKinds }: RunContext, stored: readonly StoredAnswer[]) {
  const askedFor: { call: CompanyCall; key: Buffer; answer: KnownAnswer }[] = [];
  for (const { answer, aliases } of stored) {
    for (const [place, call] of aliases.calls.entries()) {
      if (!askedKinds.has(call.identifier.kind)) continue;
      askedFor.push({ call, key: keyAt(aliases.keys, place), answer });
    }
  }
  if (askedFor.length === 0) return [];
  const keys = askedFor.map(({ key }) => key);
  return ledger.calls.openCalls(run.id, keys).flatMap(({ place, callId }) => {
    const { call, answer } = askedFor[place] ?? {};
    return call && answer ? [lookupOf({ callId }, call, { answer, source: 'joined' })] : [];
  });
}
