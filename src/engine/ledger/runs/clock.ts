import { dayMs } from '../../../core/values/duration.ts';
import type { Statements } from '../statements.ts';

/** A clock that was set back by less changes the age of no answer. */
const toleranceMs = 60_000;
/** Longer than a monthly job rests. */
const longestRestMs = 32 * dayMs;

/**
 * A step back no longer counts if the clock has since moved forward by as much between two starts, or
 * by 32 days. It was then slow at `at`, not fast before. If that is wrong, answers are reused for too
 * long. The opposite mistake would buy the whole list again.
 */
const wasBehind = `(:now - last_at >= min(from_at - at, ${longestRestMs}))`;

/** When answer `a` counts as fetched, at the time `:now`. */
export const countedAt = `min(a.fetched_at, coalesce((
  select min(at) from clock_step where answer_id >= a.id and not ${wasBehind}), a.fetched_at))`;

/** `answer.fetched_at` never changes, but an answer from the future counts from the next start. */
export function clockIn({ change, all }: Statements) {
  const drop = change(`delete from clock_step where ${wasBehind}`);
  const keep = change(`update clock_step set last_at = :now`);
  // `at` is just before the start: its run uses only answers that are older than itself.
  const add = change(`
    insert or replace into clock_step (answer_id, at, from_at, last_at)
    select id, :now - 1, shown, :now from (
      select a.id, max(${countedAt}, :startedAt) as shown
      from (select id, fetched_at from answer order by id desc limit 1) a)
    where shown > :now + ${toleranceMs}`);
  const steps = all<{ answerId: number; at: number }>(`
    select answer_id as answerId, at from clock_step where not ${wasBehind}`);
  return {
    /** Call in the transaction that stores the start. `startedAt` is the time of the one before. */
    begin(now: number, startedAt = 0) {
      drop({ now });
      keep({ now });
      add({ now, startedAt });
    },
    /** When an answer counts as fetched. */
    countedAt(now: number) {
      const standing = steps({ now });
      return (id: number, fetchedAt: number) => {
        let counted = fetchedAt;
        for (const { answerId, at } of standing)
          if (id <= answerId) counted = Math.min(counted, at);
        return counted;
      };
    },
  };
}
