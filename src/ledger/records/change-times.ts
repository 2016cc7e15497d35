import type { Database } from 'better-sqlite3';
import type { RecordedRun } from '../run-records.ts';

/** When records became different: at the end of the run that found them so. */
export interface ChangeTimes {
  /** ISO 8601, as an export of `run` tells it. */
  of(run: RecordedRun, changedRun: number | null): string | null;
}

export function changeTimesIn(db: Database): ChangeTimes {
  const statement = db.prepare<{ runId: number }, { endedAt: number }>(
    `select coalesce(finished_at, last_started_at) as endedAt from run where id = :runId`,
  );
  const known = new Map<number, string | null>();
  const read = (runId: number) => {
    const endedAt = statement.get({ runId })?.endedAt;
    return endedAt === undefined ? null : new Date(endedAt).toISOString();
  };
  return {
    of(run, changedRun) {
      if (changedRun === null) return null;
      // The run itself may be about to end, which the ledger does not know yet.
      if (changedRun === run.id)
        return new Date(run.finishedAt ?? run.endedAt ?? run.lastStartedAt).toISOString();
      const time = known.get(changedRun) ?? read(changedRun);
      known.set(changedRun, time);
      return time;
    },
  };
}
