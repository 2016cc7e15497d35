import type { CallOutcome, CallRequest, CompanyCall } from '../contract/call.ts';
import { readNames } from '../contract/company-names.ts';
import type { NewAnswer } from '../ledger/answers.ts';
import { joinedKeys } from '../ledger/call-key.ts';
import type { Match } from '../ledger/run-records.ts';
import type { OpenTask } from '../ledger/tasks.ts';
import { readAnswerJson } from '../runtime/answer-json.ts';
import type { BundledBody } from '../runtime/bundle.ts';
import { aliasCalls, readIdentity } from './company-identity.ts';
import { matchCompany } from './match-company.ts';

/** What the service answered to a task. */
export interface Answered {
  readonly task: OpenTask;
  readonly call: CallRequest;
  readonly outcome: CallOutcome;
  /** Its body as the ledger keeps it, where it was compressed with others. */
  readonly kept?: BundledBody;
  readonly fetchedAt: number;
}

/** An answer as the ledger keeps it, and the other names of its company. */
export interface ReadAnswer {
  readonly answered: Answered;
  readonly answer: NewAnswer;
  readonly aliases: Aliases;
}

/** Calls that would have given the same company, with their keys one behind the other. */
export interface Aliases {
  readonly calls: readonly CompanyCall[];
  readonly keys: Buffer;
}

export function readAnswer(service: string, answered: Answered): ReadAnswer {
  const { task, call, outcome, kept, fetchedAt } = answered;
  const isCompany = call.operation === 'company' && outcome.kind === 'hit';
  const { match, aliases } = isCompany ? readCompany(service, call, outcome) : noCompany;
  const answer = {
    callId: task.callId,
    outcome: outcome.kind,
    status: 'status' in outcome ? outcome.status : null,
    message: messageOf(outcome),
    companyId: outcome.kind === 'hit' ? (outcome.companyId ?? null) : null,
    match,
    attempts: outcome.attempts,
    durationMs: outcome.durationMs,
    fetchedAt,
    body: kept ?? ('body' in outcome ? outcome.body : null),
    aliasKeys: aliases.keys,
  };
  return { answered, answer, aliases };
}

interface ReadCompany {
  readonly match: Match | null;
  readonly aliases: Aliases;
}

const noCompany: ReadCompany = { match: null, aliases: { calls: [], keys: Buffer.alloc(0) } };

function readCompany(
  service: string,
  call: CompanyCall,
  { companyId, names, body }: Extract<CallOutcome, { kind: 'hit' }>,
): ReadCompany {
  const known = names ?? readNames(readAnswerJson(body));
  const identity = readIdentity(companyId ?? '', known);
  const calls = aliasCalls(identity, call.country).filter((alias) => !asksTheSame(alias, call));
  const aliases = { calls, keys: joinedKeys(service, calls) };
  return { match: matchCompany(call.identifier, identity), aliases };
}

function asksTheSame({ identifier: one }: CompanyCall, { identifier: other }: CompanyCall) {
  return one.kind === other.kind && one.value === other.value;
}

function messageOf(outcome: CallOutcome): string | null {
  if (outcome.kind === 'invalid') return outcome.message;
  return outcome.kind === 'failed' ? outcome.reason : null;
}
