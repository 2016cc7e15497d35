import type { Database } from 'better-sqlite3';
import { type BodyPlace, bodyColumns } from '../calls/bodies.ts';
import type { Bundle } from '../calls/bundles.ts';

/** An answer of the other ledger, with its question. */
export interface OtherAnswer extends BodyPlace {
  readonly id: number;
  readonly key: Buffer;
  readonly request: string;
  readonly outcome: string;
  readonly status: number | null;
  readonly message: string | null;
  readonly companyId: string | null;
  readonly match: string | null;
  readonly attempts: number;
  readonly durationMs: number;
  readonly fetchedAt: number;
  readonly aliasKeys: Buffer | null;
  /** 1 where it is the newest of its call. */
  readonly isNewest: 0 | 1;
}

/** A call of the other ledger that took the answer to another identifier of the company. */
export interface JoinedCall extends Omit<TwinFacts, 'callId'> {
  readonly key: Buffer;
  readonly request: string;
  readonly answerKey: Buffer;
  readonly answerRequest: string;
}

/** By what an answer is known again. */
export interface TwinFacts {
  readonly callId: number;
  readonly fetchedAt: number;
  readonly outcome: string;
  readonly checksum: number | null;
}

export type MergeStatements = ReturnType<typeof mergeStatements>;

/** Statements that read the ledger that is taken over, each as few tables as it can: some may be damaged. */
export function otherStatements(db: Database) {
  const largest = [
    ...['select max(id) from answer', 'select max(answer_id) from call'],
    'select max(answer_id) from completed_call',
  ];
  return {
    /** Each gives the id of the last answer, or one near it. */
    lastIds: largest.map((sql) => db.prepare<[], number | null>(sql).pluck()),
    joinedAnswers: db
      .prepare<[], number>(`
        select c.answer_id from call c join answer j on j.id = c.answer_id where j.call_id <> c.id`)
      .pluck(),
    services: db.prepare<[], { key: Buffer }>(`select key from proven_service`),
    // A failure brought nothing. In the order of ids, bodies of a bundle are unpacked once.
    answers: db.prepare<{ after: number; upTo: number }, OtherAnswer>(`
      select a.id, c.key, c.request, a.outcome, a.status, a.message, a.company_id as companyId, a.match,
        a.attempts, a.duration_ms as durationMs, a.fetched_at as fetchedAt, a.alias_keys as aliasKeys,
        c.answer_id is a.id as isNewest, ${bodyColumns}
      from answer a cross join call c on c.id = a.call_id
      where a.id > :after and a.id <= :upTo and a.outcome <> 'failed' order by a.id`),
    joinedCalls: db.prepare<[], JoinedCall>(`
      select c.key, c.request, o.key as answerKey, o.request as answerRequest,
        a.fetched_at as fetchedAt, a.outcome, a.checksum
      from call c join answer a on a.id = c.answer_id join call o on o.id = a.call_id
      where a.call_id <> c.id order by c.id`),
    bundle: db.prepare<{ bundleId: number }, Bundle>(`
      select encoding, plain_length as plainLength, bytes from bundle where id = :bundleId`),
  };
}

/** Statements that add to the ledger. */
export function mergeStatements(db: Database) {
  prepareTwins(db);
  const addCall = db.prepare(
    `insert into call (key, request) values (:key, :request) on conflict do nothing`,
  );
  const findCall = db
    .prepare<{ key: Buffer }, number>(`select id from call where key = :key`)
    .pluck();
  return {
    callOf(key: Buffer, request: string): number {
      const known = findCall.get({ key });
      return known ?? Number(addCall.run({ key, request }).lastInsertRowid);
    },
    addService: db.prepare(`
      insert into proven_service (key) values (:key) on conflict do nothing`),
    addBundle: db.prepare<Bundle>(`
      insert into bundle (encoding, plain_length, bytes) values (:encoding, :plainLength, :bytes)`),
    addAnswer: db.prepare<Omit<OtherAnswer, 'id'> & { callId: number }>(`
      insert into answer (
        call_id, outcome, status, message, company_id, match, attempts, duration_ms, fetched_at,
        bundle_id, body_start, body_length, checksum, alias_keys)
      values (
        :callId, :outcome, :status, :message, :companyId, :match, :attempts, :durationMs, :fetchedAt,
        :bundleId, :start, :length, :checksum, :aliasKeys)`),
    addTwin: db.prepare<{ callId: number; fetchedAt: number; id: number }>(`
      insert into temp.own_answer (call_id, fetched_at, answer_id)
      values (:callId, :fetchedAt, :id)`),
    twins: db.prepare<TwinFacts, BodyPlace & { id: number }>(`
      select a.id, ${bodyColumns} from temp.own_answer o join answer a on a.id = o.answer_id
      where o.call_id = :callId and o.fetched_at = :fetchedAt
        and a.outcome = :outcome and a.checksum is :checksum
      order by a.id`),
    mend: db.prepare<Pick<OtherAnswer, 'id' | 'aliasKeys'> & BodyPlace>(`
      update answer set bundle_id = :bundleId, body_start = :start, body_length = :length,
        checksum = :checksum, alias_keys = :aliasKeys
      where id = :id`),
    // The younger of two answers is the newest, whichever ledger brought it.
    setNewest: db.prepare<{ callId: number; answerId: number }>(`
      update call set answer_id = :answerId, has_failed = 0
      where id = :callId and coalesce(
        (select fetched_at from answer where id = call.answer_id) <
        (select fetched_at from answer where id = :answerId), true)`),
  };
}

/** Answers are never looked for by their call, so there is no index but for the time of a merge. */
function prepareTwins(db: Database): void {
  db.exec(`
    create temp table own_answer (
      call_id integer not null,
      fetched_at integer not null,
      answer_id integer not null,
      primary key (call_id, fetched_at, answer_id)
    ) strict, without rowid;
    insert into temp.own_answer select call_id, fetched_at, id from answer order by call_id, fetched_at, id;`);
}
