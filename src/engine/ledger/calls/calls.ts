import { hash } from 'node:crypto';
import type { Source } from '../../../core/rules/outcomes.ts';
import type { Statements } from '../statements.ts';
import { aliasesIn, answersIn, type KnownAnswer, knownAnswerColumns } from './answers.ts';
import type { Bodies } from './bodies.ts';
import type { KeyedCall } from './call-key.ts';

/** A call that something in a run waits for. */
export interface OpenCall {
  readonly callId: number;
  readonly request: string;
  /** The search that waits for it, and for which of its pages; null where rows do. */
  readonly searchId: number | null;
  readonly page: number;
  /** 1 where the call has an answer, or another call has one that carries its identifier. */
  readonly mayBeCached: 0 | 1;
  /** 1 where the call has failed since its last answer. */
  readonly hasFailed: 0 | 1;
}

/** A call of a run that has its answer. */
export interface CallCompletion {
  readonly callId: number;
  readonly answer: Pick<KnownAnswer, 'id'>;
  readonly source: Source;
  readonly searchId: number | null;
  readonly page: number;
}

/** Questions to the service, who waits for them, and the answers. */
export function callsIn(statements: Statements, bodies: Bodies) {
  const { run, get, all, value, values, inPortions } = statements;
  type OfRun = { runId: number };
  const isNew = (callId: string) => `
    not exists (select 1 from completed_call where run_id = :runId and call_id = ${callId})`;
  const ofJob = `run_id in (select id from run where job = :job)`;
  const leasedCalls = `lease l cross join json_each(l.call_ids) i`;
  const insertNew = inPortions(
    '(?, ?)',
    (rows) => `insert into call (key, request) values ${rows} on conflict do nothing`,
  );
  const findAll = inPortions<{ id: number }>(
    '(?, ?)',
    (rows) => `
      select c.id from (values ${rows}) asked cross join call c on c.key = asked.column2
      order by asked.column1`,
  );
  const forgetNewest = run(`update call set answer_id = null where answer_id = ?`);
  const proven = get<object>(`select 1 from proven_service where key = ?`);
  const prove = run(`insert into proven_service (key) values (?) on conflict do nothing`);
  const countNew = value<number>(`
    select count(distinct i.value) from json_each(:callIds) i
    where ${isNew('i.value')} and not exists (
      select 1 from waiting where run_id = :runId and call_id = i.value)`);
  const elsewhere = all<{ callId: number; runId: number }>(`
    select i.value as callId, l.run_id as runId from ${leasedCalls} where l.run_id <> ?`);
  const lease = run(`insert or replace into lease (run_id, call_ids) values (?, ?)`);
  const endLease = run(`delete from lease where run_id = ?`);
  const doubt = run(`
    insert into doubtful_call (run_id, call_id)
    select l.run_id, i.value from ${leasedCalls} where l.${ofJob}
    on conflict do nothing`);
  const countLeased = value<number | null>(
    `select sum(json_array_length(call_ids)) from lease where ${ofJob}`,
  );
  const releaseJob = run(`delete from lease where ${ofJob}`);
  const complete = inPortions(
    '(?, ?, ?, ?, ?, ?)',
    (rows) => `
      insert into completed_call (run_id, call_id, answer_id, source, search_id, page)
      values ${rows}`,
  );
  const completion = get<KnownAnswer & { source: Source }>(`
    select ${knownAnswerColumns}, d.source
    from completed_call d join answer a on a.id = d.answer_id
    where d.run_id = ? and d.call_id = ?`);
  const answers = answersIn(statements, bodies);
  const { forgetKeys, forgetGathered, ...aliases } = aliasesIn(statements);
  return {
    ...answers,
    ...aliases,
    /** The ids of calls in their order; one that was never asked before is added. */
    idsOf(calls: readonly KeyedCall[]): number[] {
      insertNew(calls.map(({ key, request }) => [key, request]));
      return findAll(calls.map(({ key }, place) => [place, key])).map(({ id }) => id);
    },
    find: value<number | undefined, [key: Buffer]>(`select id from call where key = ?`),
    /** Takes a damaged answer out of the cache; the next run asks again. */
    discardAnswer(answerId: number) {
      for (const forget of [forgetNewest, forgetKeys, forgetGathered]) forget(answerId);
    },
    /** Whether a service has given a hit: an empty 404 is a miss of such a service, and of no other. */
    isProven: (service: string) => proven(serviceKey(service)) !== undefined,
    prove: (service: string) => void prove(serviceKey(service)),

    /** How many of the calls the run has not asked for yet. */
    countNew: (runId: number, callIds: readonly number[]) =>
      countNew({ runId, callIds: JSON.stringify(callIds) }),
    /** Lets a search wait for a page. Its changes are the calls that it opens. */
    waitForPage: run<[OfRun & { callId: number; searchId: number; page: number }]>(`
      insert into waiting (run_id, call_id, row_id, place, search_id)
      select :runId, :callId, 0, :page, :searchId where ${isNew(':callId')}
      on conflict do nothing`),
    /** Open calls that the run itself has not leased, by id, after one of them. */
    openCalls: all<OpenCall, [OfRun & { after: number; limit: number }]>(`
      select w.call_id as callId, c.request, w.search_id as searchId, w.place as page,
        c.has_failed as hasFailed,
        c.answer_id is not null or exists (
          select 1 from alias a where a.key = c.key) as mayBeCached
      from (
        select call_id, search_id, place from waiting
        where run_id = :runId and call_id > :after and call_id not in (
          select i.value from ${leasedCalls} where l.run_id = :runId)
        group by call_id order by call_id limit :limit
      ) w cross join call c on c.id = w.call_id`),
    /** The first ten of these calls that are open. */
    openAmong: values<number, [OfRun & { callIds: string }]>(`
      select distinct w.call_id from json_each(:callIds) i
      cross join waiting w on w.run_id = :runId and w.call_id = i.value limit 10`),
    /** Calls that other runs may have sent, with the run of each. */
    leasedElsewhere: (ownId: number) =>
      new Map(elsewhere(ownId).map(({ callId, runId }) => [callId, runId])),
    /** These calls, and no others, are leased by the run: it may send them from the commit on. */
    setLeased(runId: number, callIds: readonly number[]) {
      if (callIds.length === 0) endLease(runId);
      else lease(runId, JSON.stringify(callIds));
    },
    /**
     * Ends all leases of a job whose process died; their calls are doubtful from here on. Gives how
     * many there were.
     */
    recover(job: string) {
      const leased = countLeased({ job }) ?? 0;
      if (leased > 0) doubt({ job });
      releaseJob({ job });
      return leased;
    },
    /** A call of a run is complete for good. */
    complete(runId: number, calls: readonly CallCompletion[]) {
      const joined = calls.filter(({ source }) => source === 'joined');
      // The next run takes the same answer, whatever has come in since.
      if (joined.length > 0)
        answers.setNewest(new Map(joined.map(({ callId, answer }) => [callId, answer.id])));
      complete(
        calls.map(({ callId, answer, source, searchId, page }) => [
          runId,
          callId,
          answer.id,
          source,
          searchId,
          searchId === null ? null : page,
        ]),
      );
    },
    /** How the run's call was completed; undefined while it is not. */
    completion(runId: number, callId: number) {
      const found = completion(runId, callId);
      if (!found) return undefined;
      const { source, ...answer } = found;
      return { answer, source };
    },
    /** Requests whose process died before the answer came; they may have been charged. */
    doubtful: values<string, [runId: number]>(`
      select request from call
      where id in (select call_id from doubtful_call where run_id = ?) order by id`),
    /** Requests that are leased and not doubtful yet. */
    unanswered: values<string, [runId: number]>(`
      select c.request from ${leasedCalls} cross join call c on c.id = i.value
      where l.run_id = ? and not exists (
        select 1 from doubtful_call d where d.run_id = l.run_id and d.call_id = c.id)
      order by c.id`),
  };
}

/** A hash, as in the keys of calls: an address may hold what should not be in the ledger. */
function serviceKey(service: string): Buffer {
  return hash('sha256', service, 'buffer');
}
