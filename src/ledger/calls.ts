import type { Database } from 'better-sqlite3';
import { type Aliases, aliasesIn } from './aliases.ts';
import { type Answers, answersIn } from './answers.ts';
import type { Bodies } from './bodies.ts';
import type { KeyedCall } from './call-key.ts';
import { inPortions } from './in-portions.ts';
import { type Tasks, tasksIn } from './tasks.ts';

/** Questions to the service, who wants them answered, and the answers. */
export interface Calls extends Tasks, Answers, Omit<Aliases, 'forget'> {
  /** The id of the call, which is made if nobody has asked it before. */
  idOf(call: KeyedCall): number;
  /** The same for many calls, in their order. */
  idsOf(calls: readonly KeyedCall[]): number[];
  find(key: Buffer): number | undefined;
  /** A damaged answer serves nobody any more; its call is asked again by the next run. */
  discardAnswer(answerId: number): void;
}

export function callsIn(db: Database, bodies: Bodies): Calls {
  const statements = prepareStatements(db);
  const tasks = tasksIn(db);
  const answers = answersIn(db, bodies);
  const { forget, ...aliases } = aliasesIn(db);
  const find = (key: Buffer) => statements.find.get({ key })?.id;
  return {
    ...tasks,
    ...answers,
    ...aliases,
    idOf: ({ key, request }) =>
      find(key) ?? Number(statements.insert.run({ key, request }).lastInsertRowid),
    idsOf(calls) {
      statements.insertNew.run(calls.map(({ key, request }) => [key, request]));
      return statements.findAll
        .all(calls.map(({ key }, place) => [place, key]))
        .map(({ id }) => id);
    },
    find,
    settle(runId, byCall, source) {
      // So that the next run takes the same answer, whatever has come in since.
      if (source === 'joined') answers.setNewest(byCall);
      return tasks.settle(runId, byCall, source);
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
    insert: db.prepare<KeyedCall>(`insert into call (key, request) values (:key, :request)`),
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
