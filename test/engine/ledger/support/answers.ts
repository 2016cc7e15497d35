import Database from 'better-sqlite3';
import type { NewAnswer } from '../../../../src/engine/ledger/calls/answers.ts';
import type { KeyedCall } from '../../../../src/engine/ledger/calls/call-key.ts';
import type { Ledger } from '../../../../src/engine/ledger/open-ledger.ts';
import type { Service } from '../../../../src/engine/providers/providers.ts';

/** An answer to whatever was asked. */
export type AnswerFacts = Omit<NewAnswer, 'callId'>;

/** Stores a single answer, and gives its id back. */
export function putAnswer(ledger: Ledger, callId: number, facts: AnswerFacts): number {
  const [id = 0] = ledger.calls.putAnswers([{ ...facts, callId }]);
  return id;
}

/** An answer that found a company, with whatever a test cares for. */
export function hitWith(facts: Partial<AnswerFacts> = {}): AnswerFacts {
  return {
    result: 'hit',
    status: 200,
    message: null,
    companyId: 'c_1',
    match: 'exact',
    attempts: 1,
    durationMs: 12.5,
    fetchedAt: 1_000,
    body: null,
    ...facts,
  };
}

/** The file of a ledger, to do to it what no ledger would. */
export function openDatabase(path: string): { value: Database.Database } & Disposable {
  const value = new Database(path);
  return { value, [Symbol.dispose]: () => void value.close() };
}

export const testService = { provider: 'company-data', url: 'https://service.test' } as const;

/** The id of a call, which is added where it was never asked before. */
export function callIdOf(ledger: Ledger, call: KeyedCall, service: Service = testService): number {
  const [id = 0] = ledger.calls.idsOf([service], [call]);
  return id;
}
