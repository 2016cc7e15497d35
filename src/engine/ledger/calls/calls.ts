import { hash } from 'node:crypto';
import { identifierKinds } from '../../../core/contract/identifier-kinds.ts';
import type { Source } from '../../../core/rules/outcomes.ts';
import type { Service } from '../../providers/providers.ts';
import type { Statements } from '../statements.ts';
import { aliasesIn } from './aliases.ts';
import { answersIn, type KnownAnswer, knownAnswerColumns } from './answers.ts';
import type { Bodies } from './bodies.ts';
import type { KeyedCall } from './call-key.ts';
import type { Services } from './services.ts';

export interface OpenCall {
  readonly callId: number;
  readonly request: string;
  /** Null for a company lookup. */
  readonly searchId: number | null;
  readonly page: number;
  /** Also 1 if another identifier of the same company may have an answer. */
  readonly mayBeCached: 0 | 1;
  readonly hasFailed: 0 | 1;
  /** Null for a call that is older than services. */
  readonly serviceId: number | null;
}

export interface AskedCall extends KeyedCall {
  /** The place of its service in the list that is given with it; 0 if absent. */
  readonly serviceIndex?: number;
}

export interface CallCompletion {
  readonly callId: number;
  readonly answer: Pick<KnownAnswer, 'id'>;
  readonly source: Source;
  readonly searchId: number | null;
  readonly page: number;
}

export function callsIn(statements: Statements, bodies: Bodies, services: Services) {
  const { run, get, all, value, values, inPortions } = statements;
  type OfRun = { runId: number };
  const isNew = (callId: string) => `
    not exists (select 1 from completed_call where run_id = :runId and call_id = ${callId})`;
  const ofJob = `run_id in (select id from run where job = :job)`;
  const leasedCalls = `lease l cross join json_each(l.call_ids) i`;
  const insertNew = inPortions(
    '(?, ?, ?)',
    (rows) => `
      insert into call (key, request, service_id) values ${rows}
      on conflict (key) do update set service_id = excluded.service_id where service_id is null`,
  );
  const findAll = inPortions<{ id: number }>(
    '(?, ?)',
    (rows) => `
      select c.id from (values ${rows}) wanted cross join call c on c.key = wanted.column2
      order by wanted.column1`,
  );
  const madeByKind = all<{
    kind: string;
    outcome: string;
    serviceId: number | null;
    number: number;
  }>(`
    select k.value as kind, a.outcome, c.service_id as serviceId, count(*) as number
    from completed_call d cross join answer a on a.id = d.answer_id
    cross join call c on c.id = d.call_id cross join json_each(:kinds) k
    where d.run_id = :runId and d.source = 'called' and d.search_id is null
      and (instr(c.request, '?' || k.value || '=') or instr(c.request, '&' || k.value || '='))
    group by k.value, a.outcome, c.service_id`);
  const forgetNewest = run(`update call set answer_id = null where answer_id = ?`);
  const found = get<object>(`select 1 from proven_service where key = ?`);
  const noteFound = run(`insert into proven_service (key) values (?) on conflict do nothing`);
  const countNew = value<number>(`
    select count(distinct i.value) from json_each(:callIds) i
    where ${isNew('i.value')} and not exists (
      select 1 from waiting where run_id = :runId and call_id = i.value)`);
  const elsewhere = all<{ callId: number; runId: number }>(`
    select i.value as callId, l.run_id as runId from ${leasedCalls} where l.run_id <> ?`);
  const openCalls = (only = '') => `
      select w.call_id as callId, c.request, w.search_id as searchId, w.candidate_or_page as page,
        c.has_failed as hasFailed, c.service_id as serviceId,
        c.answer_id is not null or exists (
          select 1 from alias a where a.key = c.key) as mayBeCached
      from (
        select call_id, search_id, candidate_or_page from waiting
        where run_id = :runId and call_id > :after and has_missed = 0 and call_id not in (
          select i.value from ${leasedCalls} where l.run_id = :runId) ${only}
        group by call_id order by call_id limit :limit
      ) w cross join call c on c.id = w.call_id`;
  const lease = run(`insert or replace into lease (run_id, call_ids) values (?, ?)`);
  const endLease = run(`delete from lease where run_id = ?`);
  const markPossiblyCharged = run(`
    insert into possibly_charged_call (run_id, call_id)
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
    /** Adds the calls that are new. Call inside a transaction. */
    idsOf(asked: readonly Service[], calls: readonly AskedCall[]): number[] {
      const serviceIds: number[] = [];
      const idAt = (index: number) =>
        (serviceIds[index] ??= services.idOf(asked[index] as Service));
      insertNew(
        calls.map(({ key, request, serviceIndex = 0 }) => [key, request, idAt(serviceIndex)]),
      );
      return findAll(calls.map(({ key }, index) => [index, key])).map(({ id }) => id);
    },
    find: value<number | undefined, [key: Buffer]>(`select id from call where key = ?`),
    discardAnswer(answerId: number) {
      for (const forget of [forgetNewest, forgetKeys, forgetGathered]) forget(answerId);
    },
    /**
     * The first hit proves that the URL of a service is right. From then on, an empty 404 counts as
     * a miss.
     */
    hasEverFound: (service: string) => found(serviceKey(service)) !== undefined,
    noteFound: (service: string) => void noteFound(serviceKey(service)),

    countNew: (runId: number, callIds: readonly number[]) =>
      countNew({ runId, callIds: JSON.stringify(callIds) }),
    waitForPage: run<[OfRun & { callId: number; searchId: number; page: number }]>(`
      insert into waiting (run_id, call_id, row_id, candidate_or_page, search_id)
      select :runId, :callId, 0, :page, :searchId where ${isNew(':callId')}
      on conflict do nothing`),
    listOpenCalls: all<OpenCall, [OfRun & { after: number; limit: number }]>(openCalls()),
    /** Only calls of one service. */
    listOpenAt: all<OpenCall, [OfRun & { after: number; limit: number; serviceId: number }]>(
      openCalls(`and (select service_id from call where id = waiting.call_id) = :serviceId`),
    ),
    hasOpenAt: value<0 | 1, [OfRun & { serviceId: number }]>(`
      select exists (
        select 1 from waiting w cross join call c on c.id = w.call_id
        where w.run_id = :runId and w.has_missed = 0 and c.service_id = :serviceId)`),
    /** Calls for companies that the service once found. */
    listOpenKnown: values<number, [OfRun & { serviceId: number; limit: number }]>(`
      select distinct w.call_id from waiting w cross join call c on c.id = w.call_id
      cross join answer a on a.id = c.answer_id
      where w.run_id = :runId and w.has_missed = 0 and w.search_id is null
        and c.service_id = :serviceId and a.outcome = 'hit' limit :limit`),
    listOpenAmong: values<number, [OfRun & { callIds: string; limit: number }]>(`
      select distinct w.call_id from json_each(:callIds) i
      cross join waiting w on w.run_id = :runId and w.call_id = i.value limit :limit`),
    leasedElsewhere: (ownId: number) =>
      new Map(elsewhere(ownId).map(({ callId, runId }) => [callId, runId])),
    /** Send the calls only after the commit, so a crash cannot forget that they may be charged. */
    setLeased(runId: number, callIds: readonly number[]) {
      if (callIds.length === 0) endLease(runId);
      else lease(runId, JSON.stringify(callIds));
    },
    /** The calls of a dead process may have been charged. */
    recover(job: string) {
      const leased = countLeased({ job }) ?? 0;
      if (leased > 0) markPossiblyCharged({ job });
      releaseJob({ job });
      return leased;
    },
    complete(runId: number, calls: readonly CallCompletion[]) {
      const joined = calls.filter(({ source }) => source === 'joined');
      // The answer of another identifier becomes the newest of this call, so the next run uses it.
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
    completion(runId: number, callId: number) {
      const stored = completion(runId, callId);
      if (!stored) return undefined;
      const { source, ...answer } = stored;
      return { answer, source };
    },
    possiblyCharged: values<string, [runId: number]>(`
      select request from call
      where id in (select call_id from possibly_charged_call where run_id = ?) order by id`),
    /** Company lookups that the run sent. */
    madeByKind: (runId: number) => madeByKind({ runId, kinds: JSON.stringify(identifierKinds) }),
    unanswered: values<string, [runId: number]>(`
      select c.request from ${leasedCalls} cross join call c on c.id = i.value
      where l.run_id = ? and not exists (
        select 1 from possibly_charged_call p where p.run_id = l.run_id and p.call_id = c.id)
      order by c.id`),
  };
}

/** A hash, because an address may contain secrets. */
function serviceKey(service: string) {
  return hash('sha256', service, 'buffer');
}
