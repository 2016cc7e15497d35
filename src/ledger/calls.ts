import type { Database } from 'better-sqlite3';
import type { StoredBody } from '../contract/call.ts';
import { readBody, storeBody } from '../runtime/stored-body.ts';
import type { KeyedCall } from './call-key.ts';
import type { Match } from './run-records.ts';

export type Outcome = 'hit' | 'miss' | 'invalid' | 'failed';

/** How a run came to know an answer. */
export type Source = 'called' | 'reused' | 'joined';

export interface NewAnswer {
  readonly outcome: Outcome;
  readonly status: number | null;
  readonly message: string | null;
  readonly companyId: string | null;
  readonly match: Match | null;
  readonly attempts: number;
  readonly durationMs: number;
  readonly fetchedAt: number;
  readonly body: Buffer | StoredBody | null;
}

/** An answer without its body. */
export interface KnownAnswer {
  readonly id: number;
  /** The call that brought it, which may be another than the one it serves. */
  readonly callId: number;
  readonly outcome: Outcome;
  readonly message: string | null;
  readonly companyId: string | null;
  readonly match: Match | null;
  readonly fetchedAt: number;
}

export interface OpenTask {
  readonly callId: number;
  readonly key: Buffer;
  readonly request: string;
  readonly searchId: number | null;
  readonly page: number | null;
  /** 1 where the call has an answer, or is about the company of another call that has one. */
  readonly mayBeAtHand: 0 | 1;
  /** Another run, perhaps of another job, has sent this call and waits for its answer. */
  readonly sentBy: number | null;
}

export interface CallCounts {
  readonly open: number;
  readonly sent: number;
  readonly called: number;
  readonly reused: number;
  readonly joined: number;
  readonly failed: number;
  readonly doubtful: number;
}

export interface Calls {
  /** The id of the call, which is made if nobody has asked it before. */
  idOf(call: KeyedCall): number;
  find(key: Buffer): number | undefined;
  /** Puts the call on the run's list, once; says whether it is new there. */
  want(runId: number, callId: number, search?: { id: number; page: number }): boolean;
  /** In the order of their calls, those after one of them. */
  openTasks(runId: number, after: number, limit: number): OpenTask[];
  /** The id of the call with this key, if the run has it and it is open. */
  openCall(runId: number, key: Buffer): number | undefined;
  markSent(runId: number, callId: number): void;
  /** Nothing came of it: the call is asked another time. */
  reopen(runId: number, callId: number): void;
  /** After a crash: what was sent and not answered is asked again, and said to be doubtful. */
  recover(job: string): void;
  settle(runId: number, callId: number, answerId: number, source: Source): void;
  /** How the run's call was settled; undefined while it is not. */
  settledTask(runId: number, callId: number): { answer: KnownAnswer; source: Source } | undefined;
  putAnswer(callId: number, answer: NewAnswer): number;
  putAlias(key: Buffer, answerId: number): void;
  newestAnswer(callId: number): KnownAnswer | undefined;
  /** The answer of another call that turned out to be about this one's company. */
  aliasAnswer(key: Buffer): KnownAnswer | undefined;
  /** The body of an answer; null when it is damaged, undefined when there is none. */
  body(answerId: number): Buffer | null | undefined;
  /** A damaged answer serves nobody any more; its call is asked again by the next run. */
  discardAnswer(answerId: number): void;
  counts(runId: number): CallCounts;
  /** Requests that a process sent which died before the answer came; they may have been charged. */
  doubtful(runId: number): string[];
  /** Requests that are on the wire or were, when nobody has recovered the run since. */
  unanswered(runId: number): string[];
}

export function callsIn(db: Database): Calls {
  const statements = prepareStatements(db);
  const find = (key: Buffer) => statements.find.get({ key })?.id;
  return {
    idOf: ({ key, request }) =>
      find(key) ?? Number(statements.insert.run({ key, request }).lastInsertRowid),
    find,
    want: (runId, callId, search) =>
      statements.want.run({
        runId,
        callId,
        searchId: search?.id ?? null,
        page: search?.page ?? null,
      }).changes > 0,
    openTasks: (runId, after, limit) => statements.openTasks.all({ runId, after, limit }),
    openCall: (runId, key) => statements.openCall.get({ runId, key })?.id,
    markSent: (runId, callId) => void statements.markSent.run({ runId, callId }),
    reopen: (runId, callId) => void statements.reopen.run({ runId, callId }),
    recover: (job) => void statements.recover.run({ job }),
    settle(runId, callId, answerId, source) {
      statements.settle.run({ runId, callId, answerId, source });
      // So that the next run takes the same answer, whatever has come in since.
      if (source === 'joined') statements.setNewest.run({ callId, answerId });
    },
    settledTask(runId, callId) {
      const found = statements.settledTask.get({ runId, callId });
      if (!found) return undefined;
      const { source, ...answer } = found;
      return { answer, source };
    },
    putAnswer(callId, { body, ...answer }) {
      const stored = Buffer.isBuffer(body) ? storeBody(body) : (body ?? noBody);
      const inserted = statements.insertAnswer.run({ ...answer, ...stored, callId });
      const answerId = Number(inserted.lastInsertRowid);
      // A failure brings nothing: what an earlier call was paid for stays at hand.
      if (answer.outcome !== 'failed') statements.setNewest.run({ callId, answerId });
      return answerId;
    },
    putAlias: (key, answerId) => void statements.putAlias.run({ key, answerId }),
    newestAnswer: (callId) => statements.newestAnswer.get({ callId }),
    aliasAnswer: (key) => statements.aliasAnswer.get({ key }),
    body(answerId) {
      const stored = statements.body.get({ answerId });
      return stored?.encoding == null ? undefined : readBody(stored as StoredBody);
    },
    discardAnswer(answerId) {
      statements.forgetNewest.run({ answerId });
      statements.forgetAliases.run({ answerId });
    },
    counts: (runId) => statements.counts.get({ runId }) as CallCounts,
    doubtful: (runId) => statements.doubtful.all({ runId }).map(({ request }) => request),
    unanswered: (runId) => statements.unanswered.all({ runId }).map(({ request }) => request),
  };
}

const noBody = { encoding: null, body: null, checksum: null };

function prepareStatements(db: Database) {
  type TaskKey = { runId: number; callId: number };
  const answer = `
    select a.id, a.call_id as callId, a.outcome, a.message, a.company_id as companyId, a.match,
      a.fetched_at as fetchedAt`;
  return {
    find: db.prepare<{ key: Buffer }, { id: number }>(`select id from call where key = :key`),
    insert: db.prepare<KeyedCall>(`insert into call (key, request) values (:key, :request)`),
    want: db.prepare(`
      insert into task (run_id, call_id, state, search_id, page)
      values (:runId, :callId, 'open', :searchId, :page) on conflict do nothing`),
    // Without the hint SQLite walks over every settled task before the first open one.
    openTasks: db.prepare<{ runId: number; after: number; limit: number }, OpenTask>(`
      select t.call_id as callId, c.key, c.request, t.search_id as searchId, t.page,
        c.answer_id is not null or exists (
          select 1 from alias l where l.key = c.key) as mayBeAtHand,
        (select o.run_id from task o
         where o.call_id = t.call_id and o.state = 'sent' and o.run_id <> t.run_id) as sentBy
      from task t indexed by task_open join call c on c.id = t.call_id
      where t.run_id = :runId and t.state = 'open' and t.call_id > :after
      order by t.call_id limit :limit`),
    openCall: db.prepare<{ runId: number; key: Buffer }, { id: number }>(`
      select c.id from call c join task t on t.call_id = c.id
      where c.key = :key and t.run_id = :runId and t.state = 'open'`),
    // Each step is taken from the one before it only: what is settled stays settled.
    markSent: db.prepare<TaskKey>(`
      update task set state = 'sent'
      where run_id = :runId and call_id = :callId and state = 'open'`),
    reopen: db.prepare<TaskKey>(`
      update task set state = 'open'
      where run_id = :runId and call_id = :callId and state = 'sent'`),
    recover: db.prepare<{ job: string }>(`
      update task indexed by task_sent set state = 'open', is_doubtful = 1
      where state = 'sent' and run_id in (select id from run where job = :job)`),
    settle: db.prepare(`
      update task set state = 'settled', answer_id = :answerId, source = :source
      where run_id = :runId and call_id = :callId and state <> 'settled'`),
    settledTask: db.prepare<TaskKey, KnownAnswer & { source: Source }>(`
      ${answer}, t.source from task t join answer a on a.id = t.answer_id
      where t.run_id = :runId and t.call_id = :callId and t.state = 'settled'`),
    insertAnswer: db.prepare(`
      insert into answer (
        call_id, outcome, status, message, company_id, match, attempts, duration_ms, fetched_at,
        encoding, body, checksum)
      values (
        :callId, :outcome, :status, :message, :companyId, :match, :attempts, :durationMs, :fetchedAt,
        :encoding, :body, :checksum)`),
    setNewest: db.prepare(`update call set answer_id = :answerId where id = :callId`),
    putAlias: db.prepare(`
      insert into alias (key, answer_id) values (:key, :answerId)
      on conflict (key) do update set answer_id = excluded.answer_id`),
    newestAnswer: db.prepare<{ callId: number }, KnownAnswer>(
      `${answer} from call c join answer a on a.id = c.answer_id where c.id = :callId`,
    ),
    aliasAnswer: db.prepare<{ key: Buffer }, KnownAnswer>(
      `${answer} from alias l join answer a on a.id = l.answer_id where l.key = :key`,
    ),
    body: db.prepare<
      { answerId: number },
      { encoding: string | null; body: Buffer | null; checksum: number | null }
    >(`select encoding, body, checksum from answer where id = :answerId`),
    forgetNewest: db.prepare(`update call set answer_id = null where answer_id = :answerId`),
    forgetAliases: db.prepare(`delete from alias where answer_id = :answerId`),
    counts: db.prepare<{ runId: number }, CallCounts>(`
      select
        count(*) filter (where state = 'open') as open,
        count(*) filter (where state = 'sent') as sent,
        count(*) filter (where source = 'called') as called,
        count(*) filter (where source = 'reused') as reused,
        count(*) filter (where source = 'joined') as joined,
        count(*) filter (where a.outcome = 'failed') as failed,
        count(*) filter (where is_doubtful = 1) as doubtful
      from task t left join answer a on a.id = t.answer_id where t.run_id = :runId`),
    doubtful: db.prepare<{ runId: number }, { request: string }>(`
      select c.request from task t join call c on c.id = t.call_id
      where t.run_id = :runId and t.is_doubtful = 1 order by t.call_id`),
    unanswered: db.prepare<{ runId: number }, { request: string }>(`
      select c.request from task t join call c on c.id = t.call_id
      where t.run_id = :runId and t.state = 'sent' and t.is_doubtful = 0 order by t.call_id`),
  };
}
