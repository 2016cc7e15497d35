import type { Database } from 'better-sqlite3';

/** Counts that a run notes about itself; only their owner knows what they mean. */
export interface ProgressNote<Counts> {
  readonly notedAt: number;
  readonly counts: Counts;
}

/** Where a run stood a moment ago, for those who look on while it goes on. */
export interface ProgressNotes {
  put<Counts extends object>(runId: number, notedAt: number, counts: Counts): void;
  of<Counts extends object>(runId: number): ProgressNote<Counts> | undefined;
}

export function progressIn(db: Database): ProgressNotes {
  const put = db.prepare(`
    insert or replace into progress (run_id, noted_at, counts) values (:runId, :notedAt, :counts)`);
  const get = db.prepare<{ runId: number }, { notedAt: number; counts: string }>(
    `select noted_at as notedAt, counts from progress where run_id = :runId`,
  );
  return {
    put: (runId, notedAt, counts) =>
      void put.run({ runId, notedAt, counts: JSON.stringify(counts) }),
    of<Counts>(runId: number) {
      const note = get.get({ runId });
      return note && { notedAt: note.notedAt, counts: JSON.parse(note.counts) as Counts };
    },
  };
}
