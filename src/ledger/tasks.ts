import type { Database } from 'better-sqlite3';
import { type KnownAnswer, knownAnswerColumns } from './answers.ts';
import { type AnswersByCall, asJson, eachAnswered } from './answers-by-call.ts';
import { keyBytes } from './call-key.ts';

/** How a run came to know an answer. */
export type Source = 'called' | 'reused' | 'joined';

export interface OpenTask {
  readonly callId: number;
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
  /** Which of the calls with these keys the run has open, each with the place of its key. */
  openCalls(
    runId: number,
    keys: readonly Buffer[],
  ): { readonly place: number; readonly callId: number }[];
  markSent(runId: number, callIds: readonly number[]): void;
  /** Nothing came of it: the call is asked another time. */
  reopen(runId: number, callId: number): void;
  /** After a crash: what was sent and not answered is asked again, and said to be doubtful. */
  recover(job: string): void;
  /** Settles those of the calls that are open; says how many they were, and how many had failed. */
  settle(runId: number, answers: AnswersByCall, source: Source): { all: number; failed: number };
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
    openCalls(runId, keys) {
      const places = JSON.stringify([...keys.keys()]);
      return statements.openCalls.all({ runId, keys: Buffer.concat(keys), places });
    },
    markSent(runId, callIds) {
      if (callIds.length > 0) statements.markSent.run({ runId, callIds: JSON.stringify(callIds) });
    },
    reopen: (runId, callId) => void statements.forgetSent.run({ runId, callId }),
    recover(job) {
      statements.doubt.run({ job });
      statements.forgetSentOf.run({ job });
    },
    settle(runId, byCall, source) {
      const answers = asJson(byCall);
      const settled = statements.settle.all({ runId, answers, source });
      statements.close.run({ runId, answers });
      if (source === 'called') statements.forgetSettled.run({ runId, answers });
      return { all: settled.length, failed: settled.filter((isFailed) => isFailed === 1).length };
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
  type OfCalls = { runId: number; answers: string };
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
      select t.call_id as callId, c.request, t.search_id as searchId, t.page,
        c.answer_id is not null or exists (
          select 1 from alias l where l.key = c.key) as mayBeAtHand,
        (select s.run_id from sent_task s
         where s.call_id = t.call_id and s.run_id <> t.run_id) as sentBy
      from open_task t join call c on c.id = t.call_id
      where t.run_id = :runId and t.call_id > :after and ${isNotSent}
      order by t.call_id limit :limit`),
    openCalls: db.prepare<
      { runId: number; keys: Buffer; places: string },
      { place: number; callId: number }
    >(`
      select i.value as place, c.id as callId from json_each(:places) i
      cross join call c on c.key = substr(:keys, 1 + i.value * ${keyBytes}, ${keyBytes})
      cross join open_task t on t.run_id = :runId and t.call_id = c.id
      where ${isNotSent} order by i.key`),
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
    settle: db
      .prepare<OfCalls & { source: Source }, 0 | 1>(`
        insert into settled_task (
          run_id, call_id, answer_id, source, is_failed, is_doubtful, search_id, page)
        select t.run_id, t.call_id, s.answer_id, :source, a.outcome = 'failed', t.is_doubtful,
          t.search_id, t.page
        from ${eachAnswered} s
        cross join open_task t on t.run_id = :runId and t.call_id = s.call_id
        cross join answer a on a.id = s.answer_id
        returning is_failed`)
      .pluck(),
    close: db.prepare<OfCalls>(`
      delete from open_task where run_id = :runId and call_id in (select call_id from ${eachAnswered})`),
    forgetSettled: db.prepare<OfCalls>(`
      delete from sent_task where run_id = :runId and call_id in (select call_id from ${eachAnswered})`),
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
