import type { Period } from '../../runtime/budget/calendar.ts';
import type { Statements } from '../statements.ts';

/** Whose requests are counted: by a key, for a job or lookup, at a price. */
export interface SpendPlace {
  readonly quarterAt: number;
  readonly account: Buffer;
  readonly job: string;
  /** 0 for a lookup. */
  readonly runId: number;
  readonly operation: 'company' | 'people';
  /** Empty where there is no price. */
  readonly currency: string;
}

const nothing = {
  /** Requests that were charged, or may yet be. */
  requests: 0,
  /** Requests that were reserved and given back. */
  refunded: 0,
  hits: 0,
  misses: 0,
  failed: 0,
  /** Millionths of the currency. */
  micros: 0,
};

export type SpendCounts = Readonly<typeof nothing>;

export type SpendRow = Omit<SpendPlace, 'account' | 'runId'> & SpendCounts;

/** What was paid, counted so finely that no time zone is cut. */
export function spendIn({ run, get, all }: Statements) {
  const add = run<[SpendPlace & SpendCounts]>(`
    insert into spend (
      quarter_at, account, job, run_id, operation, currency,
      requests, refunded, hits, misses, failed, micros
    )
    values (
      :quarterAt, :account, :job, :runId, :operation, :currency,
      :requests, :refunded, :hits, :misses, :failed, :micros
    )
    on conflict (quarter_at, account, job, run_id, operation, currency) do update set
      requests = requests + excluded.requests, refunded = refunded + excluded.refunded,
      hits = hits + excluded.hits, misses = misses + excluded.misses,
      failed = failed + excluded.failed, micros = micros + excluded.micros`);
  const requestsIn = get<[object], { month: number; day: number }>(`
    select coalesce(sum(requests), 0) as month, coalesce(sum(requests) filter (
      where quarter_at >= :dayMs and quarter_at < :dayEndMs), 0) as day
    from spend where quarter_at >= :fromMs and quarter_at < :untilMs and account = :account`);
  return {
    /** Adds to what stands there; refunds are negative requests. */
    add: (place: SpendPlace, change: Partial<SpendCounts>) =>
      void add({ ...place, ...nothing, ...change }),
    /** Requests of an account in a month, and of them those of a day. Periods that come later do not count. */
    requestsIn: (account: Buffer, month: Period, { fromMs: dayMs, untilMs: dayEndMs }: Period) =>
      requestsIn({ ...month, account, dayMs, dayEndMs }) ?? { month: 0, day: 0 },
    /** Everything from a moment on, in the order of time. */
    since: all<[quarterAt: number], SpendRow>(`
      select quarter_at as quarterAt, job, operation, currency, sum(requests) as requests,
        sum(refunded) as refunded, sum(hits) as hits, sum(misses) as misses,
        sum(failed) as failed, sum(micros) as micros
      from spend where quarter_at >= ?
      group by quarter_at, job, operation, currency`),
    /** What a run has spent, all its starts together. */
    ofRun: all<[runId: number], Pick<SpendRow, 'operation' | 'currency' | 'requests' | 'micros'>>(`
      select operation, currency, sum(requests) as requests, sum(micros) as micros
      from spend where run_id = ? and run_id > 0
      group by operation, currency`),
  };
}
