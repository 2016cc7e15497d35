import type { Database } from 'better-sqlite3';
import type { Source } from '../../rules/outcomes.ts';
import { type KnownAnswer, knownAnswerColumns } from './answers.ts';
import { type AnswersByCall, asJson, eachAnswered } from './answers-by-call.ts';

export interface OpenCall {
  readonly callId: number;
  readonly request: string;
  readonly searchId: number | null;
  readonly page: number | null;
  /** 1 where the call has an answer, or another call has one that carries its identifier. */
  readonly mayBeCached: 0 | 1;
  /** 1 where the call has failed since its last answer. */
  readonly hasFailed: 0 | 1;
  /** Another run, perhaps of another job, that has leased this call. */
  readonly leasedBy: number | null;
}

export interface CallCounts {
  readonly open: number;
  readonly leased: number;
  readonly called: number;
  readonly reused: number;
  readonly joined: number;
  readonly failed: number;
  readonly doubtful: number;
}

/** The calls of a run: each is open, then leased, then complete for good. */
export interface RunCalls {
  /** Puts calls on the run's list, each once, and gives how many are new there. */
  want(runId: number, callIds: readonly number[], search?: { id: number; page: number }): number;
  /** Open calls that the run itself has not leased, by id, after one of them. */
  openCalls(runId: number, after: number, limit: number): OpenCall[];
  lease(runId: number, callIds: readonly number[]): void;
  /** Ends the leases of calls that did not leave, or that failed and stay open. */
  release(runId: number, callIds: readonly number[]): void;
  /**
   * Ends all leases of a job whose process died; their calls are doubtful from here on. Gives how
   * many there were.
   */
  recover(job: string): number;
  /** Completes the calls that are still open; gives how many they were and how many had failed. */
  complete(runId: number, answers: AnswersByCall, source: Source): { all: number; failed: number };
  /** How the run's call was completed; undefined while it is not. */
  completion(runId: number, callId: number): { answer: KnownAnswer; source: Source } | undefined;
  counts(runId: number): CallCounts;
  /** Calls of the run that ask for a company. */
  lookups(runId: number): number;
  /** Requests whose process died before the answer came; they may have been charged. */
  doubtful(runId: number): string[];
  /** Requests that are leased and not doubtful yet. */
  unanswered(runId: number): string[];
}

export function runCallsIn(db: Database): RunCalls {
  const statements = prepareStatements(db);
  return {
    want(runId, callIds, search) {
      const { id: searchId, page } = search ?? noSearch;
      return statements.want.run({ runId, callIds: JSON.stringify(callIds), searchId, page })
        .changes;
    },
    openCalls: (runId, after, limit) => statements.openCalls.all({ runId, after, limit }),
    lease(runId, callIds) {
      if (callIds.length > 0) statements.lease.run({ runId, callIds: JSON.stringify(callIds) });
    },
    release: (runId, callIds) =>
      void statements.release.run({ runId, callIds: JSON.stringify(callIds) }),
    recover(job) {
      statements.doubt.run({ job });
      return statements.releaseJob.run({ job }).changes;
    },
    complete(runId, byCall, source) {
      const answers = asJson(byCall);
      const completed = statements.complete.all({ runId, answers, source });
      statements.close.run({ runId, answers });
      if (source === 'called') statements.endLeases.run({ runId, answers });
      const failed = completed.filter((isFailed) => isFailed === 1).length;
      return { all: completed.length, failed };
    },
    completion(runId, callId) {
      const found = statements.completion.get({ runId, callId });
      if (!found) return undefined;
      const { source, ...answer } = found;
      return { answer, source };
    },
    counts: (runId) => statements.counts.get({ runId }) as CallCounts,
    lookups: (runId) => statements.lookups.get({ runId })?.calls ?? 0,
    doubtful: (runId) => statements.doubtful.all({ runId }).map(({ request }) => request),
    unanswered: (runId) => statements.unanswered.all({ runId }).map(({ request }) => request),
  };
}

const noSearch = { id: null, page: null };

function prepareStatements(db: Database) {
  type OfCalls = { runId: number; callIds: string };
  type OfAnswers = { runId: number; answers: string };
  const isNotLeased = `not exists (
    select 1 from lease l where l.call_id = o.call_id and l.run_id = o.run_id)`;
  const runsOfJob = `select id from run where job = :job`;
  const answeredCalls = `select call_id from ${eachAnswered}`;
  return {
    want: db.prepare<OfCalls & { searchId: number | null; page: number | null }>(`
      insert into open_call (run_id, call_id, search_id, page)
      select :runId, i.value, :searchId, :page from json_each(:callIds) i
      where not exists (
        select 1 from completed_call where run_id = :runId and call_id = i.value)
      on conflict do nothing`),
    openCalls: db.prepare<{ runId: number; after: number; limit: number }, OpenCall>(`
      select o.call_id as callId, c.request, o.search_id as searchId, o.page,
        c.has_failed as hasFailed,
        c.answer_id is not null or exists (
          select 1 from alias a where a.key = c.key) as mayBeCached,
        (select l.run_id from lease l
         where l.call_id = o.call_id and l.run_id <> o.run_id) as leasedBy
      from open_call o join call c on c.id = o.call_id
      where o.run_id = :runId and o.call_id > :after and ${isNotLeased}
      order by o.call_id limit :limit`),
    // Only an open call can be leased or completed, so a complete one stays complete.
    lease: db.prepare<OfCalls>(`
      insert into lease (call_id, run_id)
      select o.call_id, o.run_id from json_each(:callIds) i
      cross join open_call o on o.run_id = :runId and o.call_id = i.value
      where true on conflict do nothing`),
    release: db.prepare<OfCalls>(`
      delete from lease
      where run_id = :runId and call_id in (select value from json_each(:callIds))`),
    doubt: db.prepare<{ job: string }>(`
      update open_call set is_doubtful = 1
      where (run_id, call_id) in (
        select run_id, call_id from lease where run_id in (${runsOfJob}))`),
    releaseJob: db.prepare<{ job: string }>(`delete from lease where run_id in (${runsOfJob})`),
    complete: db
      .prepare<OfAnswers & { source: Source }, 0 | 1>(`
        insert into completed_call (
          run_id, call_id, answer_id, source, is_failed, is_doubtful, search_id, page)
        select o.run_id, o.call_id, s.answer_id, :source,
          a.outcome = 'failed', o.is_doubtful, o.search_id, o.page
        from ${eachAnswered} s
        cross join open_call o on o.run_id = :runId and o.call_id = s.call_id
        cross join answer a on a.id = s.answer_id
        returning is_failed`)
      .pluck(),
    close: db.prepare<OfAnswers>(
      `delete from open_call where run_id = :runId and call_id in (${answeredCalls})`,
    ),
    endLeases: db.prepare<OfAnswers>(
      `delete from lease where run_id = :runId and call_id in (${answeredCalls})`,
    ),
    completion: db.prepare<{ runId: number; callId: number }, KnownAnswer & { source: Source }>(`
      select ${knownAnswerColumns}, d.source
      from completed_call d join answer a on a.id = d.answer_id
      where d.run_id = :runId and d.call_id = :callId`),
    counts: db.prepare<{ runId: number }, CallCounts>(`
      with
        opened as (
          select count(*) as calls, coalesce(sum(is_doubtful), 0) as doubtful
          from open_call where run_id = :runId),
        leases as (select count(*) as calls from lease where run_id = :runId),
        completed as (
          select
            count(*) filter (where source = 'called') as called,
            count(*) filter (where source = 'reused') as reused,
            count(*) filter (where source = 'joined') as joined,
            coalesce(sum(is_failed), 0) as failed,
            coalesce(sum(is_doubtful), 0) as doubtful
          from completed_call where run_id = :runId)
      select opened.calls - leases.calls as open, leases.calls as leased,
        called, reused, joined, failed, opened.doubtful + completed.doubtful as doubtful
      from opened, leases, completed`),
    lookups: db.prepare<{ runId: number }, { calls: number }>(`
      select
        (select count(*) from open_call where run_id = :runId and search_id is null) +
        (select count(*) from completed_call where run_id = :runId and search_id is null) as calls`),
    doubtful: db.prepare<{ runId: number }, { request: string }>(`
      select request from call where id in (
        select call_id from open_call where run_id = :runId and is_doubtful = 1
        union all
        select call_id from completed_call where run_id = :runId and is_doubtful = 1)
      order by id`),
    unanswered: db.prepare<{ runId: number }, { request: string }>(`
      select c.request from lease l
      join open_call o on o.run_id = l.run_id and o.call_id = l.call_id
      join call c on c.id = l.call_id
      where l.run_id = :runId and o.is_doubtful = 0 order by l.call_id`),
  };
}
