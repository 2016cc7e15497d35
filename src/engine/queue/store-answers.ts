import type { Call } from '../../core/contract/call.ts';
import { aliasCalls, matchCompany } from '../../core/rules/match-company.ts';
import { pairs } from '../../core/values/pairs.ts';
import type { NewAnswer } from '../ledger/calls/answers.ts';
import { joinedKeys } from '../ledger/calls/call-key.ts';
import type { ReadCompany } from '../providers/read-body.ts';
import type { AskedService } from './asked-services.ts';
import { type CompletedCall, completeCalls } from './complete-calls.ts';
import type { QueueState } from './queue-state.ts';
import type { ReadAnswer } from './read-answers.ts';
import type { Answer } from './run-queue.ts';

/** Call inside a transaction. */
export function storeAnswers(
  state: QueueState,
  answers: readonly ReadAnswer[],
  bodies: readonly NewAnswer['body'][],
): void {
  if (answers.length === 0) return;
  const { ledger, leased, services } = state;
  for (const { identity } of servicesThatFound(state, answers)) ledger.calls.noteFound(identity);
  const stored = answers.map(({ callId, result, fetchedAt, company }, index): NewAnswer => {
    const task = leased.get(callId);
    if (!task) throw new Error(`call ${callId} was answered, although it was not leased`);
    const { match, aliasKeys } = compareCompany(services.ofCall(task), task.call, company);
    return {
      callId,
      result: result.kind,
      status: 'status' in result ? result.status : null,
      message: messageOf(result),
      companyId: result.kind === 'hit' ? (result.companyId ?? null) : null,
      match,
      attempts: result.attempts,
      durationMs: result.durationMs,
      fetchedAt,
      body: bodies[index] ?? null,
      aliasKeys,
    };
  });
  const ids = ledger.calls.putAnswers(stored);
  const storedAnswers = pairs(stored, ids).map(([answer, id]) => Object.assign(answer, { id }));
  // If a call is answered twice, the first answer wins.
  const completed = new Map<number, CompletedCall>();
  for (const [answer, { result, staysOpen }] of pairs(storedAnswers, answers)) {
    const { callId } = answer;
    const task = leased.get(callId);
    if (!task || staysOpen || completed.has(callId)) continue;
    completed.set(callId, {
      callId,
      searchId: task.searchId,
      page: task.page,
      call: task.call,
      serviceIndex: services.ofCall(task).index,
      answer,
      source: result.isFetchedElsewhere ? 'reused' : 'called',
      body: result.kind === 'hit' ? result.body : undefined,
    });
  }
  if (completed.size > 0) completeCalls(state, [...completed.values()]);
}

function servicesThatFound({ leased, services }: QueueState, answers: readonly Answer[]) {
  const found = new Set<AskedService>();
  for (const { callId, result } of answers) {
    const task = result.kind === 'hit' && leased.get(callId);
    if (task) found.add(services.ofCall(task));
  }
  return found;
}

function messageOf(result: Answer['result']) {
  if (result.kind === 'invalid') return result.message;
  return 'reason' in result ? result.reason : null;
}

const noCompany = { match: null, aliasKeys: Buffer.alloc(0) };

function compareCompany({ identity }: AskedService, call: Call, company: ReadCompany | undefined) {
  if (call.operation !== 'company' || !company) return noCompany;
  const { identifiers } = company;
  const aliasKeys = joinedKeys(identity, aliasCalls(identifiers, call));
  return { match: matchCompany(call.identifier, identifiers), aliasKeys };
}
