import type { AskedAnew } from '../../rules/expectations.ts';
import type { Statements } from '../statements.ts';

/** What a run is judged by before it is published, and the misses that a held run does not leave behind. */
export function judgingIn({ run, get }: Statements) {
  // A refusal of the service is remembered as long as a miss, and is one to the user. So is a search that
  // has found nobody: a service that has lost its data says so of every company.
  const misses = `
    completed_call d cross join answer a on a.id = d.answer_id
    left join search s on s.id = d.search_id
    where d.run_id = ? and d.source = 'called' and call.id = d.call_id
      and (a.outcome = 'miss' or a.outcome = 'invalid' or s.received = 0)`;
  return {
    /** Rows whose last answer was called by the run, and what their calls had brought before. */
    askedAnew: get<[runId: number], AskedAnew>(`
      select count(*) as rows,
        count(*) filter (where o.status = 'matched') as matched,
        count(*) filter (where p.outcome = 'hit') as hadCompany,
        count(*) filter (where p.id is null) as isNew
      from outcome o
      cross join completed_call d on d.run_id = o.run_id and d.call_id = o.call_id
      cross join answer a on a.id = d.answer_id
      left join answer p on p.id = a.replaced_id
      where o.run_id = ? and o.status <> 'failed' and o.is_stale = 0
        and d.source = 'called' and d.search_id is null`),
    /**
     * Takes the answers without a company or people that a run has called for out of the cache. What its
     * calls had brought before stands again. The answers stay: the run can still be exported.
     */
    forgetMisses: run<[runId: number]>(`
      update call set answer_id = (select id from answer where id = a.replaced_id)
      from ${misses} and call.answer_id = a.id`),
    /** Puts them back, except where a call was answered since. */
    rememberMisses: run<[runId: number]>(`
      update call set answer_id = a.id
      from ${misses} and call.answer_id is (select id from answer where id = a.replaced_id)`),
  };
}
