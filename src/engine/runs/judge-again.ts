import { parseCall } from '../../core/contract/call.ts';
import { aliasCalls, matchCompany } from '../../core/rules/match-company.ts';
import { counted } from '../../core/values/format.ts';
import { readAnswerJson } from '../../core/values/parse-json.ts';
import type { NewAnswer, StoredAnswer } from '../ledger/calls/answers.ts';
import { joinedKeys } from '../ledger/calls/call-key.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import type { Provider, Verdict } from '../providers/provider.ts';
import { providerOf, type Service, serviceIdentity } from '../providers/providers.ts';
import { identifiersIn } from '../providers/read-body.ts';

const answersAtOnce = 200;

/**
 * If the rules of an adapter changed, judges its kept answers again: they are paid for. Returns
 * notes for the user. Call inside a transaction.
 */
export function renewAdapter(ledger: Ledger, service: Service): string[] {
  if (!service.adapter) return [];
  const { version } = providerOf(service);
  const judgedBy = ledger.services.judgedBy(service);
  const before = ledger.services.renewAdapter(service);
  if (before === null) return [];
  const { name } = service.adapter;
  const notes: string[] = [];
  if (judgedBy !== version.judging) {
    const { judged, changed } = judgeAgain(ledger, service);
    if (changed > 0) {
      const stored = counted(judged, 'stored answer');
      notes.push(
        `The rules of the adapter ${name} changed: ${changed} of ${stored} now mean something else. Nothing was looked up again.`,
      );
    }
  }
  if (providerOf(before).version.record !== version.record) {
    notes.push(
      `The fields of the adapter ${name} changed: all its companies have the new ones. That alone does not count as a change of a company.`,
    );
  }
  return notes;
}

function judgeAgain(ledger: Ledger, service: Service) {
  const { calls } = ledger;
  const serviceId = ledger.services.idOf(service);
  // Answers that are added here need no second look.
  const upTo = calls.lastId() ?? 0;
  let [after, judged, changed] = [0, 0, 0];
  for (;;) {
    const some = calls.readable({ serviceId, after, upTo, limit: answersAtOnce });
    for (const stored of some) {
      after = stored.id;
      judged += 1;
      const body = calls.body(stored.id);
      const answer = body && judgedAnswer(service, stored, body);
      if (!answer || isSame(answer, stored)) continue;
      calls.putAnswers([answer]);
      calls.discardAnswer(stored.id);
      if (answer.result === 'hit') calls.noteFound(serviceIdentity(service));
      changed += 1;
    }
    if (some.length < answersAtOnce) return { judged, changed };
  }
}

/** Undefined if the new rules would send the call again, which costs money. */
function judgedAnswer(service: Service, stored: StoredAnswer, body: Buffer): NewAnswer | undefined {
  const provider: Provider = providerOf(service);
  const call = parseCall(stored.text);
  const status = stored.status ?? 0;
  const verdict: Verdict = provider.judge(call, { status, headers: {}, body }, true);
  const { callId, attempts, durationMs, fetchedAt } = stored;
  const facts = { callId, status, attempts, durationMs, fetchedAt, body };
  const nothing = { ...facts, message: null, companyId: null, match: null };
  switch (verdict.kind) {
    case 'miss':
      return { ...nothing, result: 'miss' };
    case 'unreadable':
      return { ...nothing, result: 'unreadable', message: verdict.reason };
    case 'hit': {
      const { companyId } = verdict;
      if (companyId === undefined || call.operation !== 'company') return undefined;
      const company = identifiersIn(provider, companyId, readAnswerJson(body));
      return {
        ...nothing,
        result: 'hit',
        companyId,
        match: matchCompany(call.identifier, company),
        aliasKeys: joinedKeys(serviceIdentity(service), aliasCalls(company, call)),
      };
    }
    default:
      return undefined;
  }
}

function isSame(one: NewAnswer, other: StoredAnswer) {
  return (
    one.result === other.result &&
    one.companyId === other.companyId &&
    one.match === other.match &&
    one.message === other.message
  );
}
