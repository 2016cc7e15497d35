import type { Database } from 'better-sqlite3';
import { inPortions } from '../in-portions.ts';
import { type Aliases, aliasesIn } from './aliases.ts';
import { type Answers, answersIn } from './answers.ts';
import type { Bodies } from './bodies.ts';
import type { KeyedCall } from './call-key.ts';
import { type RunCalls, runCallsIn } from './run-calls.ts';

/** Questions to the service, who wants them answered, and the answers. */
export interface Calls extends RunCalls, Answers, Omit<Aliases, 'forget'> {
  /** The ids of calls in their order; one that was never asked before is added. */
  idsOf(calls: readonly KeyedCall[]): number[];
  find(key: Buffer): number | undefined;
  /** Takes a damaged answer out of the cache; the next run asks again. */
  discardAnswer(answerId: number): void;
}

export function callsIn(db: Database, bodies: Bodies): Calls {
  const statements = prepareStatements(db);
  const ofRuns = runCallsIn(db);
  const answers = answersIn(db, bodies);
  const { forget, ...aliases } = aliasesIn(db);
  return {
    ...ofRuns,
    ...answers,
    ...aliases,
    idsOf(calls) {
      statements.insertNew.run(calls.map(({ key, request }) => [key, request]));
      return statements.findAll
        .all(calls.map(({ key }, place) => [place, key]))
        .map(({ id }) => id);
    },
    find: (key) => statements.find.get({ key })?.id,
    complete(runId, byCall, source) {
      // The next run takes the same answer, whatever has come in since.
      if (source === 'joined') answers.setNewest(byCall);
      return ofRuns.complete(runId, byCall, source);
    },
    discardAnswer(answerId) {
      statements.forgetNewest.run({ answerId });
      forget(answerId);
    },
  };
}

function prepareStatements(db: Database) {
  return {
    find: db.prepare<{ key: Buffer }, { id: number }>(`select id from call where key = :key`),
    insertNew: inPortions(
      db,
      2,
      (rows) => `insert into call (key, request) values ${rows} on conflict do nothing`,
    ),
    findAll: inPortions<{ id: number }>(
      db,
      2,
      (rows) => `
        select c.id from (values ${rows}) asked cross join call c on c.key = asked.column2
        order by asked.column1`,
    ),
    forgetNewest: db.prepare(`update call set answer_id = null where answer_id = :answerId`),
  };
}
