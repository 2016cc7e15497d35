import type { CallOutcome, CallRequest, CompanyCall } from '../contract/call.ts';
import { readNames } from '../contract/company-names.ts';
import type { NewAnswer } from '../ledger/answers.ts';
import { keyedCall } from '../ledger/call-key.ts';
import type { OpenTask } from '../ledger/tasks.ts';
import { readAnswerJson } from '../runtime/answer-json.ts';
import { plainBody } from '../runtime/bundle.ts';
import { aliasCalls, readIdentity } from './company-identity.ts';
import { matchCompany } from './match-company.ts';
import type { RunContext } from './run-context.ts';
import { pageOf, type SettledPage, settlePage } from './search-people.ts';
import { answersByCall, giveToRows, lookupOf, type SettledLookup } from './settle-company.ts';

/** A task of the run, and the answer that settles it. */
export type SettledTask = SettledLookup | SettledPage;

/** What the service answered to a task. */
export interface Answered {
  readonly task: OpenTask;
  readonly call: CallRequest;
  readonly outcome: CallOutcome;
  readonly fetchedAt: number;
}

/**
 * Stores what the service answered and all that follows from it, inside one transaction. In which
 * order the answers of a group have come makes no difference: a call that was sent is not joined by
 * another's answer, and a row that moves on to a call of the group is given what that has brought.
 */
export function settleAnswered(context: RunContext, answered: readonly Answered[]): void {
  const read = answered.map((item) => readAnswered(context, item));
  const ids = context.ledger.calls.putAnswers(read.map(({ answer }) => answer));
  const settled = firstOfEachCall(read.map((item, index) => asSettled(item, ids[index] ?? 0)));
  settleTasks(
    context,
    settled.map(({ task }) => task),
  );
  for (const { task, aliases } of settled) {
    if (task.operation === 'company') joinOthers(context, task, aliases);
  }
}

/** What is settled stays settled, should a call ever be answered twice. */
function firstOfEachCall(settled: readonly Settled[]): Settled[] {
  const seen = new Set<number>();
  return settled.filter(({ task: { callId } }) => seen.size < seen.add(callId).size);
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

interface Alias {
  readonly call: CompanyCall;
  readonly key: Buffer;
}

interface Read extends Answered {
  readonly answer: NewAnswer;
  readonly aliases: readonly Alias[];
}

function readAnswered(context: RunContext, item: Answered): Read {
  const { task, call, outcome, fetchedAt } = item;
  const answer = {
    callId: task.callId,
    outcome: outcome.kind,
    status: 'status' in outcome ? outcome.status : null,
    message: messageOf(outcome),
    companyId: outcome.kind === 'hit' ? (outcome.companyId ?? null) : null,
    match: null,
    attempts: outcome.attempts,
    durationMs: outcome.durationMs,
    fetchedAt,
    body: 'body' in outcome ? outcome.body : null,
  };
  if (call.operation === 'people' || outcome.kind !== 'hit')
    return { ...item, answer, aliases: [] };
  const names = outcome.names ?? readNames(readAnswerJson(plainBody(outcome.body)));
  const identity = readIdentity(outcome.companyId ?? '', names);
  const match = matchCompany(call.identifier, identity);
  const aliases = aliasCalls(identity, call.country)
    .filter((alias) => !isSameIdentifier(alias, call))
    .map((alias) => ({ call: alias, key: keyedCall(context.job.service.url, alias).key }));
  return {
    ...item,
    answer: { ...answer, match, aliasKeys: aliases.map(({ key }) => key) },
    aliases,
  };
}

function messageOf(outcome: CallOutcome): string | null {
  if (outcome.kind === 'invalid') return outcome.message;
  return outcome.kind === 'failed' ? outcome.reason : null;
}

function isSameIdentifier({ identifier: one }: CompanyCall, { identifier: other }: CompanyCall) {
  return one.kind === other.kind && one.value === other.value;
}

interface Settled {
  readonly task: SettledTask;
  readonly aliases: readonly Alias[];
}

function asSettled({ task, call, outcome, answer: given, aliases }: Read, id: number): Settled {
  const known = { answer: { ...given, id }, source: 'called' } as const;
  if (call.operation === 'company') return { task: lookupOf(task, call, known), aliases };
  const body = outcome.kind === 'hit' ? outcome.body : undefined;
  return { task: pageOf(task, known, body), aliases };
}

/** Lets an answer serve the calls of the run that ask for the same company under another name. */
function joinOthers(
  context: RunContext,
  { answer }: SettledLookup,
  aliases: readonly Alias[],
): void {
  const { ledger, run, askedKinds } = context;
  for (const { call, key } of aliases) {
    if (!askedKinds.has(call.identifier.kind)) continue;
    const callId = ledger.calls.openCall(run.id, key);
    if (callId === undefined) continue;
    settleTasks(context, [lookupOf({ callId }, call, { answer, source: 'joined' })]);
  }
}
