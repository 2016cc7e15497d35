import { jsonText } from '../../core/values/json-text.ts';
import { readAnswerJson } from '../../core/values/parse-json.ts';
import { bundleBodies } from '../ledger/calls/bodies.ts';
import { clearPeople } from '../ledger/care/forgotten.ts';
import { providerOf } from '../providers/providers.ts';
import { type ReadCompany, readCompany } from '../providers/read-body.ts';
import type { QueueState } from './queue-state.ts';
import type { Answer } from './run-queue.ts';

export interface ReadAnswer extends Answer {
  /** The company that a lookup found. */
  readonly company?: ReadCompany;
}

/**
 * Parses companies here, because this thread waits more than the one of the sockets. Leaves out those
 * that were presumed but are not there. Also leaves out what users had forgotten: a service may send
 * people again, and a company again under an ABN that it shares with others.
 */
export function readAnswers(
  { forgotten, leased, services }: QueueState,
  answers: readonly Answer[],
): ReadAnswer[] {
  return answers.flatMap((answer): ReadAnswer | [] => {
    const { result } = answer;
    const task = leased.get(answer.callId);
    if (result.kind !== 'hit' || !task) return answer;
    const service = services.ofCall(task);
    const { identity } = service;
    const provider = providerOf(service);
    const { companyId, body, attempts, durationMs, status } = result;
    if (companyId !== undefined) {
      const company = readCompany(provider, companyId, result);
      if (!company) return [];
      if (forgotten.isEmpty || !forgotten.hasCompany(company.identifiers, identity))
        return { ...answer, company };
      const nothing = Buffer.alloc(0);
      return { ...answer, result: { kind: 'miss', status, body: nothing, attempts, durationMs } };
    }
    if (forgotten.isEmpty) return answer;
    const json = readAnswerJson(body);
    if (!clearPeople(provider, json, forgotten.hasPerson)) return answer;
    return { ...answer, result: { ...result, body: Buffer.from(jsonText(json)) } };
  });
}

/** Compressed before the transaction, because other writers wait for it. */
export function packBodies(answers: readonly ReadAnswer[]) {
  const bodies = answers.map(({ result, company }) =>
    'body' in result ? { body: result.body, flat: company?.flat } : undefined,
  );
  const bundled = bundleBodies(bodies.filter((body) => body !== undefined)).values();
  return bodies.map((body) => (body && bundled.next().value) ?? null);
}
