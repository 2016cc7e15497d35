import type { Database } from 'better-sqlite3';
import { type Histogram, mergeHistograms } from '../../runtime/histogram.ts';

/** What calling the service was like for a while. */
export interface TimelineSlice {
  /** Wall clock, a multiple of the width. */
  readonly startsAt: number;
  readonly widthMs: number;
  readonly attempts: number;
  /** Attempts that brought a company, people, or the word that there are none. */
  readonly answered: number;
  /** Attempts that brought nothing. Those that were throttled are counted apart. */
  readonly failed: number;
  /** Failed attempts that were tried again. */
  readonly retried: number;
  readonly throttled: number;
  /** How long no call left because the service had said so. */
  readonly throttledMs: number;
  readonly latencies: Histogram;
}

/** A chart has no more points than this, however long the run is. */
export const mostSlices = 600;

export function timelineIn(db: Database) {
  const statements = prepareStatements(db);
  const all = (runId: number) => statements.all.all({ runId }).map(asSlice);
  const put = (runId: number, { latencies, ...slice }: TimelineSlice) =>
    void statements.put.run({ ...slice, runId, latencies: JSON.stringify(latencies) });

  /** Pairs become one, until there are few enough. */
  const widen = (runId: number) => {
    let slices = all(runId);
    while (slices.length > mostSlices) {
      const widthMs = (slices[0]?.widthMs ?? 1) * 2;
      slices = widenSlices(slices, widthMs);
    }
    statements.clear.run({ runId });
    for (const slice of slices) put(runId, slice);
  };

  return {
    /** Adds what was measured to what is there; slices grow wider when there are too many of them. */
    add(runId: number, slices: readonly TimelineSlice[]) {
      const widthMs = statements.facts.get({ runId })?.widthMs ?? 0;
      const [first] = slices;
      for (const wide of widenSlices(slices, Math.max(widthMs, first?.widthMs ?? 0))) {
        const there = statements.one.get({ runId, startsAt: wide.startsAt });
        put(runId, there ? addSlices(asSlice(there), wide) : wide);
      }
      if ((statements.facts.get({ runId })?.slices ?? 0) > mostSlices) widen(runId);
    },
    /** In the order of time; a while in which nothing happened has no slice. */
    of: all,
  };
}

/** Merges slices into wider ones. The width is a multiple of theirs, so that each fits into one. */
export function widenSlices(slices: readonly TimelineSlice[], widthMs: number): TimelineSlice[] {
  const wide = new Map<number, TimelineSlice>();
  for (const slice of slices) {
    const startsAt = Math.floor(slice.startsAt / widthMs) * widthMs;
    const there = wide.get(startsAt);
    const moved = { ...slice, startsAt, widthMs };
    wide.set(startsAt, there ? addSlices(there, moved) : moved);
  }
  return [...wide.values()];
}

function addSlices(one: TimelineSlice, other: TimelineSlice): TimelineSlice {
  return {
    startsAt: one.startsAt,
    widthMs: one.widthMs,
    attempts: one.attempts + other.attempts,
    answered: one.answered + other.answered,
    failed: one.failed + other.failed,
    retried: one.retried + other.retried,
    throttled: one.throttled + other.throttled,
    throttledMs: one.throttledMs + other.throttledMs,
    latencies: mergeHistograms(one.latencies, other.latencies),
  };
}

type SliceRow = Omit<TimelineSlice, 'latencies'> & { latencies: string };

function asSlice({ latencies, ...slice }: SliceRow): TimelineSlice {
  return { ...slice, latencies: JSON.parse(latencies) as number[] };
}

function prepareStatements(db: Database) {
  const slice = `
    select starts_at as startsAt, width_ms as widthMs, attempts, answered, failed, retried,
      throttled, throttled_ms as throttledMs, latencies
    from timeline where run_id = :runId`;
  return {
    all: db.prepare<{ runId: number }, SliceRow>(`${slice} order by starts_at`),
    one: db.prepare<{ runId: number; startsAt: number }, SliceRow>(
      `${slice} and starts_at = :startsAt`,
    ),
    facts: db.prepare<{ runId: number }, { slices: number; widthMs: number | null }>(`
      select count(*) as slices, max(width_ms) as widthMs from timeline where run_id = :runId`),
    put: db.prepare<SliceRow & { runId: number }>(`
      insert or replace into timeline (
        run_id, starts_at, width_ms, attempts, answered, failed, retried, throttled, throttled_ms,
        latencies)
      values (
        :runId, :startsAt, :widthMs, :attempts, :answered, :failed, :retried, :throttled,
        :throttledMs, :latencies)`),
    clear: db.prepare<{ runId: number }>(`delete from timeline where run_id = :runId`),
  };
}
