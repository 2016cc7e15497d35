import type { Statements } from '../statements.ts';
import { leasedCalls } from './leases.ts';

export interface OpenCall {
  readonly callId: number;
  readonly text: string;
  /** Null for a company lookup. */
  readonly searchId: number | null;
  readonly page: number;
  /** Also 1 if another identifier of the same company may have an answer. */
  readonly mayBeCached: 0 | 1;
  readonly hasFailed: 0 | 1;
  /** Null for a call that is older than services. */
  readonly serviceId: number | null;
}

type OfRun = { readonly runId: number };

const isNew = (callId: string) => `
  not exists (select 1 from completed_call where run_id = :runId and call_id = ${callId})`;

/** Calls for which rows or searches of a run wait. */
export function openCallsIn({ change, all, value, values }: Statements) {
  const countNew = value<number>(`
    select count(distinct i.value) from json_each(:callIds) i
    where ${isNew('i.value')} and not exists (
      select 1 from waiting where run_id = :runId and call_id = i.value)`);
  return {
    countNew: (runId: number, callIds: readonly number[]) =>
      countNew({ runId, callIds: JSON.stringify(callIds) }),
    waitForPage: change<[OfRun & { callId: number; searchId: number; page: number }]>(`
      insert into waiting (run_id, call_id, row_id, candidate_or_page, search_id)
      select :runId, :callId, 0, :page, :searchId where ${isNew(':callId')}
      on conflict do nothing`),
    listOpenCalls: all<OpenCall, [OfRun & { after: number; limit: number; serviceId: number }]>(`
      select w.call_id as callId, c.text, w.search_id as searchId, w.candidate_or_page as page,
        c.has_failed as hasFailed, c.service_id as serviceId,
        c.answer_id is not null or exists (
          select 1 from alias a where a.key = c.key) as mayBeCached
      from (
        select call_id, search_id, candidate_or_page from waiting
        where run_id = :runId and call_id > :after and has_missed = 0 and call_id not in (
          select i.value from ${leasedCalls} where l.run_id = :runId)
          and (select service_id from call where id = waiting.call_id) = :serviceId
        group by call_id order by call_id limit :limit
      ) w cross join call c on c.id = w.call_id`),
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
  };
}
