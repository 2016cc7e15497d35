import { hash } from 'node:crypto';
import type { Database } from 'better-sqlite3';
import type { Source } from '../../rules/outcomes.ts';
import { inPortions } from '../in-portions.ts';
import { aliasesIn } from './aliases.ts';
import { answersIn, type KnownAnswer, knownAnswerColumns } from './answers.ts';
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

export interface CallCounts {
  readonly open: number;
  readonly leased: number;
  readonly called: number;
  readonly reused: number;
  readonly joined: number;
  readonly failed: number;
  readonly doubtful: number;
}

/** Questions to the service, who waits for them, and the answers. */
export function callsIn(db: Database, bodies: Bodies) {
  const statements = prepareStatements(db);
  const answers = answersIn(db, bodies);
  const { forget, ...aliases } = aliasesIn(db);
  return {
    ...answers,
    ...aliases,
    /** The ids of calls in their order; one that was never asked before is added. */
    idsOf(calls: readonly KeyedCall[]): number[] {
      statements.insertNew.run(calls.map(({ key, request }) => [key, request]));
      return statements.findAll
        .all(calls.map(({ key }, place) => [place, key]))
        .map(({ id }) => id);
    },
    find: (key: Buffer) => statements.find.get({ key }),
    /** Takes a damaged answer out of the cache; the next run asks again. */
    discardAnswer(answerId: number) {
      statements.forgetNewest.run({ answerId });
      forget(answerId);
    },
    /** Whether a service has given a hit: an empty 404 is a miss of such a service, and of no other. */
    isProven: (service: string) => statements.isProven.get({ key: serviceKey(service) }) === 1,
    prove: (service: string) => void statements.prove.run({ key: serviceKey(service) }),

    /** How many of the calls the run has not asked for yet. */
    countNew: (runId: number, callIds: readonly number[]) =>
      statements.countNew.get({ runId, callIds: JSON.stringify(callIds) }) ?? 0,
    /** Lets a search wait for a page. Gives how many calls that opens. */
    waitForPage: (runId: number, callId: number, searchId: number, page: number) =>
      statements.waitForPage.run({ runId, callId, searchId, page }).changes,
    /** Open calls that the run itself has not leased, by id, after one of them. */
    openCalls: (runId: number, after: number, limit: number) =>
      statements.openCalls.all({ runId, after, limit }),
    /** Calls that other runs may have sent, with the run of each. */
    leasedElsewhere: (runId: number) => new Map(statements.leasedElsewhere.all({ runId })),
    /** These calls, and no others, are leased by the run: it may send them from the commit on. */
    setLeased(runId: number, callIds: readonly number[]) {
      if (callIds.length === 0) statements.endLease.run({ runId });
      else statements.lease.run({ runId, callIds: JSON.stringify(callIds) });
    },
    /**
     * Ends all leases of a job whose process died; their calls are doubtful from here on. Gives how
     * many there were.
     */
    recover(job: string) {
      const leased = statements.countLeased.get({ job }) ?? 0;
      if (leased > 0) statements.doubt.run({ job });
      statements.releaseJob.run({ job });
      return leased;
    },
    /** A call of a run is complete for good. */
    complete(runId: number, calls: readonly CallCompletion[]) {
      const joined = calls.filter(({ source }) => source === 'joined');
      // The next run takes the same answer, whatever has come in since.
      if (joined.length > 0)
        answers.setNewest(new Map(joined.map(({ callId, answer }) => [callId, answer.id])));
      statements.complete.run(
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
      const found = statements.completion.get({ runId, callId });
      if (!found) return undefined;
      const { source, ...answer } = found;
      return { answer, source };
    },
    counts: (runId: number) => statements.counts.get({ runId }) as CallCounts,
    /** Requests whose process died before the answer came; they may have been charged. */
    doubtful: (runId: number) => statements.doubtful.all({ runId }),
    /** Requests that are leased and not doubtful yet. */
    unanswered: (runId: number) => statements.unanswered.all({ runId }),
  };
}

/** A hash, as in the keys of calls: an address may hold what should not be in the ledger. */
function serviceKey(service: string): Buffer {
  return hash('sha256', service, 'buffer');
}

function prepareStatements(db: Database) {
  type OfRun = { runId: number };
  type OfJob = { job: string };
  const isNew = (callId: string) => `
    not exists (select 1 from completed_call where run_id = :runId and call_id = ${callId})`;
  const runsOfJob = `select id from run where job = :job`;
  const leasedCalls = `lease l cross join json_each(l.call_ids) i`;
  const open = (which: string) =>
    `(select count(distinct call_id) from waiting where run_id = :runId) - ${which}`;
  const leased = `coalesce(
    (select json_array_length(call_ids) from lease where run_id = :runId), 0)`;
  const isDoubtful = (callId: string) => `${callId} in (
    select call_id from doubtful_call where run_id = :runId)`;
  return {
    find: db.prepare<{ key: Buffer }, number>(`select id from call where key = :key`).pluck(),
    insertNew: inPortions(
      db,
      '(?, ?)',
      (rows) => `insert into call (key, request) values ${rows} on conflict do nothing`,
    ),
    findAll: inPortions<{ id: number }>(
      db,
      '(?, ?)',
      (rows) => `
        select c.id from (values ${rows}) asked cross join call c on c.key = asked.column2
        order by asked.column1`,
    ),
    forgetNewest: db.prepare(`update call set answer_id = null where answer_id = :answerId`),
    isProven: db
      .prepare<{ key: Buffer }, 1>(`select 1 from proven_service where key = :key`)
      .pluck(),
    prove: db.prepare(`insert into proven_service (key) values (:key) on conflict do nothing`),
    countNew: db
      .prepare<OfRun & { callIds: string }, number>(`
        select count(distinct i.value) from json_each(:callIds) i
        where ${isNew('i.value')} and not exists (
          select 1 from waiting where run_id = :runId and call_id = i.value)`)
      .pluck(),
    waitForPage: db.prepare(`
      insert into waiting (run_id, call_id, row_id, place, search_id)
      select :runId, :callId, 0, :page, :searchId where ${isNew(':callId')}
      on conflict do nothing`),
    openCalls: db.prepare<OfRun & { after: number; limit: number }, OpenCall>(`
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
    leasedElsewhere: db
      .prepare<OfRun, [callId: number, runId: number]>(`
        select i.value, l.run_id from ${leasedCalls} where l.run_id <> :runId`)
      .raw(),
    lease: db.prepare(`insert or replace into lease (run_id, call_ids) values (:runId, :callIds)`),
    endLease: db.prepare(`delete from lease where run_id = :runId`),
    countLeased: db
      .prepare<OfJob, number>(
        `select sum(json_array_length(call_ids)) from lease where run_id in (${runsOfJob})`,
      )
      .pluck(),
    doubt: db.prepare<OfJob>(`
      insert into doubtful_call (run_id, call_id)
      select l.run_id, i.value from ${leasedCalls} where l.run_id in (${runsOfJob})
      on conflict do nothing`),
    releaseJob: db.prepare<OfJob>(`delete from lease where run_id in (${runsOfJob})`),
    complete: inPortions(
      db,
      '(?, ?, ?, ?, ?, ?)',
      (rows) => `
        insert into completed_call (run_id, call_id, answer_id, source, search_id, page)
        values ${rows}`,
    ),
    completion: db.prepare<OfRun & { callId: number }, KnownAnswer & { source: Source }>(`
      select ${knownAnswerColumns}, d.source
      from completed_call d join answer a on a.id = d.answer_id
      where d.run_id = :runId and d.call_id = :callId`),
    counts: db.prepare<OfRun, CallCounts>(`
      select ${open(leased)} as open, ${leased} as leased,
        count(*) filter (where source = 'called') as called,
        count(*) filter (where source = 'reused') as reused,
        count(*) filter (where source = 'joined') as joined,
        count(*) filter (where a.outcome = 'failed') as failed,
        (select count(*) from doubtful_call where run_id = :runId) as doubtful
      from completed_call d join answer a on a.id = d.answer_id where run_id = :runId`),
    doubtful: db
      .prepare<OfRun, string>(`select request from call where ${isDoubtful('id')} order by id`)
      .pluck(),
    unanswered: db
      .prepare<OfRun, string>(`
        select c.request from ${leasedCalls} cross join call c on c.id = i.value
        where l.run_id = :runId and not ${isDoubtful('c.id')} order by c.id`)
      .pluck(),
  };
}
