import Database from 'better-sqlite3';
import type { NewAnswer } from '../../../src/ledger/answers.ts';

/** An answer that found a company, with whatever a test cares for. */
export function hitWith(facts: Partial<NewAnswer> = {}): NewAnswer {
  return {
    outcome: 'hit',
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
