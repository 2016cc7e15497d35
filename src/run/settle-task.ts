import {
  type CallOutcome,
  type CallRequest,
  type CompanyCall,
  parseCall,
} from '../contract/call.ts';
import { readNames } from '../contract/company-names.ts';
import type { Country } from '../contract/countries.ts';
import { readPeoplePage } from '../contract/people-answer.ts';
import type { KnownAnswer, NewAnswer } from '../ledger/answers.ts';
import { keyedCall } from '../ledger/call-key.ts';
import type { OpenTask, Source } from '../ledger/tasks.ts';
import { readAnswerJson } from '../runtime/answer-json.ts';
import { plainBody } from '../runtime/bundle.ts';
import { aliasCalls, readIdentity } from './company-identity.ts';
import { matchCompany } from './match-company.ts';
import type { RunContext } from './run-context.ts';
import { settlePage } from './search-people.ts';
import { settleCompany } from './settle-company.ts';

/** Stores what the service answered and all that follows from it, inside one transaction. */
export function settleAnswered(
  context: RunContext,
  task: OpenTask,
  outcome: CallOutcome,
  fetchedAt: number,
): void {
  const call = parseCall(task.request);
  if (call.operation === 'people') {
    const json = outcome.kind === 'hit' ? readAnswerJson(plainBody(outcome.body)) : null;
    const answer = putAnswer(context, task.callId, outcome, { fetchedAt });
    settleTask(context, task, call, answer, 'called', json);
    return;
  }
  if (outcome.kind !== 'hit') {
    const answer = putAnswer(context, task.callId, outcome, { fetchedAt });
    settleCompany(context, task.callId, call.country, answer, 'called');
    return;
  }
  const names = outcome.names ?? readNames(readAnswerJson(plainBody(outcome.body)));
  const identity = readIdentity(outcome.companyId ?? '', names);
  const match = matchCompany(call.identifier, identity);
  const aliases = aliasCalls(identity, call.country).filter(
    (alias) => !isSameIdentifier(alias, call),
  );
  const aliasKeys = aliases.map((alias) => keyedCall(context.job.service.url, alias).key);
  const answer = putAnswer(context, task.callId, outcome, { fetchedAt, match, aliasKeys });
  settleCompany(context, task.callId, call.country, answer, 'called');
  for (const [index, key] of aliasKeys.entries()) {
    const kind = aliases[index]?.identifier.kind;
    if (kind && context.askedKinds.has(kind)) join(context, key, call.country, answer);
  }
}

/** Lets an answer serve a call of the run that asks for the same company under another name. */
function join(context: RunContext, key: Buffer, country: Country, answer: KnownAnswer): void {
  const { ledger, run } = context;
  const callId = ledger.calls.openCall(run.id, key);
  if (callId !== undefined) settleCompany(context, callId, country, answer, 'joined');
}

function isSameIdentifier({ identifier: one }: CompanyCall, { identifier: other }: CompanyCall) {
  return one.kind === other.kind && one.value === other.value;
}

/** Settles a task by an answer that the ledger holds. False when its body is damaged. */
export function settleByKnown(
  context: RunContext,
  task: OpenTask,
  answer: KnownAnswer,
  source: Source,
): boolean {
  const call = parseCall(task.request);
  if (call.operation === 'company' || answer.outcome !== 'hit') {
    settleTask(context, task, call, answer, source, null);
    return true;
  }
  const body = context.ledger.calls.body(answer.id);
  if (!body) {
    context.ledger.calls.discardAnswer(answer.id);
    return false;
  }
  settleTask(context, task, call, answer, source, readAnswerJson(body));
  return true;
}

function settleTask(
  context: RunContext,
  task: OpenTask,
  call: CallRequest,
  answer: KnownAnswer,
  source: Source,
  json: unknown,
): void {
  if (call.operation === 'company') {
    settleCompany(context, task.callId, call.country, answer, source);
    return;
  }
  const page = { callId: task.callId, searchId: task.searchId ?? 0, page: task.page ?? 0 };
  settlePage(context, page, answer, readPeoplePage(json) ?? undefined, source);
}

function putAnswer(
  { ledger }: RunContext,
  callId: number,
  outcome: CallOutcome,
  facts: Pick<NewAnswer, 'fetchedAt' | 'aliasKeys'> & { match?: KnownAnswer['match'] },
): KnownAnswer {
  const answer: NewAnswer = {
    outcome: outcome.kind,
    status: 'status' in outcome ? outcome.status : null,
    message: messageOf(outcome),
    companyId: outcome.kind === 'hit' ? (outcome.companyId ?? null) : null,
    match: facts.match ?? null,
    attempts: outcome.attempts,
    durationMs: outcome.durationMs,
    fetchedAt: facts.fetchedAt,
    ...(facts.aliasKeys && { aliasKeys: facts.aliasKeys }),
    body: 'body' in outcome ? outcome.body : null,
  };
  return { ...answer, callId, id: ledger.calls.putAnswer(callId, answer) };
}

function messageOf(outcome: CallOutcome): string | null {
  if (outcome.kind === 'invalid') return outcome.message;
  return outcome.kind === 'failed' ? outcome.reason : null;
}
