import type { CallRequest, CompanyCall } from '../contract/call.ts';
import { readNames } from '../contract/company-names.ts';
import type { NewAnswer } from '../ledger/calls/answers.ts';
import { type BundledBody, bundleBodies } from '../ledger/calls/bundles.ts';
import { joinedKeys } from '../ledger/calls/call-key.ts';
import { aliasCalls, readIdentity } from '../rules/company-identity.ts';
import { matchCompany } from '../rules/match-company.ts';
import type { Match } from '../rules/outcomes.ts';
import { readAnswerJson } from '../runtime/json/parse-json.ts';
import { type CompletedCall, completeCalls } from './complete-calls.ts';
import type { QueueState } from './queue-state.ts';
import type { Answer } from './run-queue.ts';

/** An answer whose body is compressed and ready to be stored. */
interface PackedAnswer extends Answer {
  readonly packed: BundledBody | null;
}

/** Compresses bodies together, before the transaction, since other writers wait for that to end. */
export function packAnswers(answers: readonly Answer[]): PackedAnswer[] {
  const withBody = answers.filter(({ outcome }) => 'body' in outcome);
  const bundled = bundleBodies(
    withBody.flatMap(({ outcome }) => ('body' in outcome ? [outcome.body] : [])),
  );
  const packed = new Map(withBody.map((answer, index) => [answer, bundled[index] ?? null]));
  return answers.map((answer) => ({ ...answer, packed: packed.get(answer) ?? null }));
}

/**
 * Stores answers of leased calls and all that follows from them. Runs inside a transaction. The order
 * of the answers makes no difference: an answer completes no other call of the run, and a row that moves
 * on to a call of this batch gets what that call has brought.
 */
export function storeAnswers(state: QueueState, answers: readonly PackedAnswer[]): void {
  if (answers.length === 0) return;
  const { ledger, terms } = state;
  if (answers.some(({ outcome }) => outcome.kind === 'hit')) ledger.calls.prove(terms.serviceUrl);
  const read = answers.map((given) => {
    const task = state.leased.get(given.callId);
    if (!task) throw new Error(`call ${given.callId} is answered, but was not leased`);
    return {
      given,
      task,
      answer: toNewAnswer(given, readCompany(terms.serviceUrl, task.call, given)),
    };
  });
  const ids = ledger.calls.putAnswers(read.map(({ answer }) => answer));
  // The first answer completes a call for good, should it be answered twice.
  const completed = new Map<number, CompletedCall>();
  for (const [index, { given, task, answer }] of read.entries()) {
    const { callId, outcome, staysOpen } = given;
    if (staysOpen || completed.has(callId)) continue;
    const { searchId, page, call } = task;
    completed.set(callId, {
      callId,
      searchId,
      page,
      call,
      answer: { ...answer, id: ids[index] ?? 0 },
      source: outcome.isReused ? 'reused' : 'called',
      body: outcome.kind === 'hit' ? outcome.body : undefined,
    });
  }
  if (completed.size > 0) completeCalls(state, [...completed.values()]);
}

function toNewAnswer(
  { callId, outcome, fetchedAt, packed }: PackedAnswer,
  { match, aliasKeys }: ReadCompany,
): NewAnswer {
  return {
    callId,
    outcome: outcome.kind,
    status: 'status' in outcome ? outcome.status : null,
    message: messageOf(outcome),
    companyId: outcome.kind === 'hit' ? (outcome.companyId ?? null) : null,
    match,
    attempts: outcome.attempts,
    durationMs: outcome.durationMs,
    fetchedAt,
    body: packed,
    aliasKeys,
  };
}

function messageOf(outcome: Answer['outcome']): string | null {
  if (outcome.kind === 'invalid') return outcome.message;
  return 'reason' in outcome ? outcome.reason : null;
}

interface ReadCompany {
  readonly match: Match | null;
  /** Keys of the calls for the company's other identifiers, one behind the other. */
  readonly aliasKeys: Buffer;
}

const noCompany: ReadCompany = { match: null, aliasKeys: Buffer.alloc(0) };

function readCompany(service: string, call: CallRequest, { outcome }: Answer): ReadCompany {
  if (call.operation !== 'company' || outcome.kind !== 'hit') return noCompany;
  const names = outcome.names ?? readNames(readAnswerJson(outcome.body));
  const identity = readIdentity(outcome.companyId ?? '', names);
  const others = aliasCalls(identity, call.country).filter((alias) => !asksTheSame(alias, call));
  return { match: matchCompany(call.identifier, identity), aliasKeys: joinedKeys(service, others) };
}

function asksTheSame({ identifier: one }: CompanyCall, { identifier: other }: CompanyCall) {
  return one.kind === other.kind && one.value === other.value;
}
