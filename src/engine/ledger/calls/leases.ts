import type { Statements } from '../statements.ts';

/** `i.value` is the id of a leased call. */
export const leasedCalls = `lease l cross join json_each(l.call_ids) i`;
const ofJob = `run_id in (select id from run where job = :job)`;

/** Calls that were or are about to be sent. */
export function leasesIn({ change, all, value, values }: Statements) {
  const elsewhere = all<{ callId: number; runId: number }>(`
    select i.value as callId, l.run_id as runId from ${leasedCalls} where l.run_id <> ?`);
  const lease = change(`insert or replace into lease (run_id, call_ids) values (?, ?)`);
  const endLease = change(`delete from lease where run_id = ?`);
  const markPossiblyCharged = change(`
    insert into possibly_charged_call (run_id, call_id)
    select l.run_id, i.value from ${leasedCalls} where l.${ofJob}
    on conflict do nothing`);
  const countLeased = value<number | null>(
    `select sum(json_array_length(call_ids)) from lease where ${ofJob}`,
  );
  const releaseJob = change(`delete from lease where ${ofJob}`);
  return {
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
    possiblyCharged: values<string, [runId: number]>(`
      select text from call
      where id in (select call_id from possibly_charged_call where run_id = ?) order by id`),
    unanswered: values<string, [runId: number]>(`
      select c.text from ${leasedCalls} cross join call c on c.id = i.value
      where l.run_id = ? and not exists (
        select 1 from possibly_charged_call p where p.run_id = l.run_id and p.call_id = c.id)
      order by c.id`),
  };
}
