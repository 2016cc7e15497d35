import type { Statements } from '../statements.ts';

export interface Delivery {
  readonly kind: string;
  /** Without secrets; a path has {date} and {run} as in the job. */
  readonly destination: string;
  /** Last run that the destination received; null if none. */
  readonly runId: number | null;
  /** Error code of the last write; null if it succeeded or the destination was left out. */
  readonly reason: string | null;
  readonly message: string | null;
}

export function deliveriesIn({ change, all, value }: Statements) {
  const retire = change<[job: string]>(`update delivery set is_current = 0 where job = ?`);
  const put = change<[Delivery & { job: string; dueRunId: number }]>(`
    insert into delivery (job, kind, destination, run_id, due_run_id, reason, message, is_current)
    values (:job, :kind, :destination, :runId, :dueRunId, :reason, :message, 1)
    on conflict (job, destination) do update set kind = :kind,
      run_id = coalesce(:runId, run_id), due_run_id = :dueRunId, reason = :reason,
      message = :message, is_current = 1`);
  const lacking = value<0 | 1, [{ id: number; job: string }]>(`
    select exists (select 1 from delivery
      where job = :job and due_run_id = :id and reason is not null and is_current = 1)`);
  return {
    /** `runId` is null for a destination that did not receive the run. */
    put({ id, job }: { id: number; job: string }, deliveries: readonly Delivery[]) {
      retire(job);
      for (const delivery of deliveries) put({ ...delivery, job, dueRunId: id });
    },
    /** The destinations of the last write. */
    list: all<Delivery, [job: string]>(`
      select kind, destination, run_id as runId, reason, message
      from delivery where job = ? and is_current = 1 order by id`),
    /** Whether a destination failed to receive this run, and no later one was written since. */
    lacks: ({ id, job }: { id: number; job: string }) => lacking({ id, job }) === 1,
  };
}
