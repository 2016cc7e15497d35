import type { CallRequest, CompanyCall } from '../contract/call.ts';
import { readNames } from '../contract/company-names.ts';
import type { KnownAnswer, NewAnswer } from '../ledger/calls/answers.ts';
import { type BundledBody, bundleBodies } from '../ledger/calls/bundles.ts';
import { joinedKeys } from '../ledger/calls/call-key.ts';
import type { OpenCall } from '../ledger/calls/run-calls.ts';
import { aliasCalls, readIdentity } from '../rules/company-identity.ts';
import { matchCompany } from '../rules/match-company.ts';
import type { Match } from '../rules/outcomes.ts';
import { readAnswerJson } from '../runtime/json/answer-json.ts';
import { completeCalls } from './complete-calls.ts';
import { type CompletedCall, completedLookup, completedPage } from './completed-call.ts';
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
  const { ledger, run, terms } = state;
  if (answers.some(({ outcome }) => outcome.kind === 'hit'))
    ledger.services.prove(terms.serviceUrl);
  const stored = putAnswers(state, answers);
  const open = answers.filter(({ staysOpen }) => staysOpen).map(({ callId }) => callId);
  if (open.length > 0) ledger.calls.release(run.id, open);
  const settled = stored.filter(({ given }) => !given.staysOpen);
  completeCalls(state, firstOfEachCall(settled.map(asCompleted)));
}

interface StoredAnswer {
  readonly given: PackedAnswer;
  readonly task: OpenCall;
  readonly call: CallRequest;
  readonly answer: KnownAnswer;
}

function putAnswers(state: QueueState, answers: readonly PackedAnswer[]): StoredAnswer[] {
  const { ledger, terms } = state;
  const read = answers.map((given) => {
    const task = state.leased.get(given.callId);
    if (!task) throw new Error(`call ${given.callId} is answered, but was not leased`);
    const { call } = task;
    const company = readCompany(terms.serviceUrl, call, given);
    return { given, task, call, answer: toNewAnswer(given, company) };
  });
  const ids = ledger.calls.putAnswers(read.map(({ answer }) => answer));
  return read.map((item, index) => ({ ...item, answer: { ...item.answer, id: ids[index] ?? 0 } }));
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

function asCompleted({ given, task, call, answer }: StoredAnswer): CompletedCall {
  const source = given.outcome.isReused ? 'reused' : 'called';
  const completion = { answer, source } as const;
  if (call.operation === 'company') return completedLookup(task.callId, call, completion);
  return completedPage(
    task,
    completion,
    given.outcome.kind === 'hit' ? given.outcome.body : undefined,
  );
}

/** The first answer completes a call for good, should it be answered twice. */
function firstOfEachCall<Call extends CompletedCall>(calls: readonly Call[]): Call[] {
  const seen = new Set<number>();
  return calls.filter(({ callId }) => seen.size < seen.add(callId).size);
}
