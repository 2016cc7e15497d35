import type { Database } from 'better-sqlite3';
import { type KnownAnswer, knownAnswerColumns, type Outcome } from './answers.ts';

/** How a run came to know an answer. */
export type Source = 'called' | 'reused' | 'joined';

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

/** What runs want to know: a task is a call of a run. It is open, then sent, then settled for good. */
export interface Tasks {
  /** Puts the call on the run's list, once; says whether it is new there. */
  want(runId: number, callId: number, search?: { id: number; page: number }): boolean;
  /** The same for many calls; says how many of them are new there. */
  wantAll(runId: number, callIds: readonly number[]): number;
  /** In the order of their calls, those after one of them. */
  openTasks(runId: number, after: number, limit: number): OpenTask[];
  /** The id of the call with this key, if the run has it and it is open. */
  openCall(runId: number, key: Buffer): number | undefined;
  markSent(runId: number, callIds: readonly number[]): void;
  /** Nothing came of it: the call is asked another time. */
  reopen(runId: number, callId: number): void;
  /** After a crash: what was sent and not answered is asked again, and said to be doubtful. */
  recover(job: string): void;
  settle(
    runId: number,
    callId: number,
    answer: { readonly id: number; readonly outcome: Outcome },
    source: Source,
  ): void;
  /** How the run's call was settled; undefined while it is not. */
  settledTask(runId: number, callId: number): { answer: KnownAnswer; source: Source } | undefined;
  counts(runId: number): CallCounts;
  /** Requests that a process sent which died before the answer came; they may have been charged. */
  doubtful(runId: number): string[];
  /** Requests that are on the wire or were, when nobody has recovered the run since. */
  unanswered(runId: number): string[];
}

export function tasksIn(db: Database): Tasks {
  const statements = prepareStatements(db);
  return {
    want: (runId, callId, search) =>
      statements.want.run({
        runId,
        callId,
        searchId: search?.id ?? null,
        page: search?.page ?? null,
      }).changes > 0,
    wantAll: (runId, callIds) =>
      statements.wantAll.run({ runId, callIds: JSON.stringify(callIds) }).changes,
    openTasks: (runId, after, limit) => statements.openTasks.all({ runId, after, limit }),
    openCall: (runId, key) => statements.openCall.get({ runId, key })?.id,
    markSent(runId, callIds) {
      if (callIds.length > 0) statements.markSent.run({ runId, callIds: JSON.stringify(callIds) });
    },
    reopen: (runId, callId) => void statements.forgetSent.run({ runId, callId }),
    recover(job) {
      statements.doubt.run({ job });
      statements.forgetSentOf.run({ job });
    },
    settle(runId, callId, { id: answerId, outcome }, source) {
      const isFailed = outcome === 'failed' ? 1 : 0;
      statements.settle.run({ runId, callId, answerId, source, isFailed });
      statements.close.run({ runId, callId });
      if (source === 'called') statements.forgetSent.run({ runId, callId });
    },
    settledTask(runId, callId) {
      const found = statements.settledTask.get({ runId, callId });
      if (!found) return undefined;
      const { source, ...answer } = found;
      return { answer, source };
    },
    counts: (runId) => statements.counts.get({ runId }) as CallCounts,
    doubtful: (runId) => statements.doubtful.all({ runId }).map(({ request }) => request),
    unanswered: (runId) => statements.unanswered.all({ runId }).map(({ request }) => request),
  };
}

function prepareStatements(db: Database) {
  type TaskKey = { runId: number; callId: number };
  const isNotSent = `not exists (
    select 1 from sent_task s where s.call_id = t.call_id and s.run_id = t.run_id)`;
  const runsOfJob = `select id from run where job = :job`;
  return {
    want: db.prepare(`
      insert into open_task (run_id, call_id, search_id, page)
      select :runId, :callId, :searchId, :page
      where not exists (
        select 1 from settled_task where run_id = :runId and call_id = :callId)
      on conflict do nothing`),
    wantAll: db.prepare(`
      insert into open_task (run_id, call_id)
      select :runId, i.value from json_each(:callIds) i
      where not exists (
        select 1 from settled_task where run_id = :runId and call_id = i.value)
      on conflict do nothing`),
    openTasks: db.prepare<{ runId: number; after: number; limit: number }, OpenTask>(`
      select t.call_id as callId, c.key, c.request, t.search_id as searchId, t.page,
        c.answer_id is not null or exists (
          select 1 from alias l where l.key = c.key) as mayBeAtHand,
        (select s.run_id from sent_task s
         where s.call_id = t.call_id and s.run_id <> t.run_id) as sentBy
      from open_task t join call c on c.id = t.call_id
      where t.run_id = :runId and t.call_id > :after and ${isNotSent}
      order by t.call_id limit :limit`),
    openCall: db.prepare<{ runId: number; key: Buffer }, { id: number }>(`
      select c.id from call c join open_task t on t.run_id = :runId and t.call_id = c.id
      where c.key = :key and ${isNotSent}`),
    // Each step is taken from the one before it only: what is settled stays settled.
    markSent: db.prepare(`
      insert into sent_task (call_id, run_id)
      select t.call_id, t.run_id from json_each(:callIds) i
      cross join open_task t on t.run_id = :runId and t.call_id = i.value
      where true on conflict do nothing`),
    forgetSent: db.prepare<TaskKey>(
      `delete from sent_task where call_id = :callId and run_id = :runId`,
    ),
    doubt: db.prepare<{ job: string }>(`
      update open_task set is_doubtful = 1
      where (run_id, call_id) in (
        select run_id, call_id from sent_task where run_id in (${runsOfJob}))`),
    forgetSentOf: db.prepare<{ job: string }>(
      `delete from sent_task where run_id in (${runsOfJob})`,
    ),
    settle: db.prepare(`
      insert into settled_task (
        run_id, call_id, answer_id, source, is_failed, is_doubtful, search_id, page)
      select run_id, call_id, :answerId, :source, :isFailed, is_doubtful, search_id, page
      from open_task where run_id = :runId and call_id = :callId`),
    close: db.prepare<TaskKey>(`delete from open_task where run_id = :runId and call_id = :callId`),
    settledTask: db.prepare<TaskKey, KnownAnswer & { source: Source }>(`
      select ${knownAnswerColumns}, t.source
      from settled_task t join answer a on a.id = t.answer_id
      where t.run_id = :runId and t.call_id = :callId`),
    counts: db.prepare<{ runId: number }, CallCounts>(`
      with
        waiting as (
          select count(*) as tasks, coalesce(sum(is_doubtful), 0) as doubtful
          from open_task where run_id = :runId),
        sent as (select count(*) as tasks from sent_task where run_id = :runId),
        settled as (
          select
            count(*) filter (where source = 'called') as called,
            count(*) filter (where source = 'reused') as reused,
            count(*) filter (where source = 'joined') as joined,
            coalesce(sum(is_failed), 0) as failed,
            coalesce(sum(is_doubtful), 0) as doubtful
          from settled_task where run_id = :runId)
      select waiting.tasks - sent.tasks as open, sent.tasks as sent, called, reused, joined, failed,
        waiting.doubtful + settled.doubtful as doubtful
      from waiting, sent, settled`),
    doubtful: db.prepare<{ runId: number }, { request: string }>(`
      select request from call where id in (
        select call_id from open_task where run_id = :runId and is_doubtful = 1
        union all
        select call_id from settled_task where run_id = :runId and is_doubtful = 1)
      order by id`),
    unanswered: db.prepare<{ runId: number }, { request: string }>(`
      select c.request from sent_task s
      join open_task t on t.run_id = s.run_id and t.call_id = s.call_id
      join call c on c.id = s.call_id
      where s.run_id = :runId and t.is_doubtful = 0 order by s.call_id`),
  };
}
