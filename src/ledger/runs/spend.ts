import type { Database } from 'better-sqlite3';
import type { Period } from '../../runtime/budget/calendar.ts';

export type Operation = 'company' | 'people';

/** Whose requests are counted: by a key, for a job or lookup, at a price. */
export interface SpendPlace {
  readonly quarterAt: number;
  readonly account: Buffer;
  readonly job: string;
  /** 0 for a lookup. */
  readonly runId: number;
  readonly operation: Operation;
  /** Empty where there is no price. */
  readonly currency: string;
}

export interface SpendCounts {
  /** Requests that were charged, or may yet be. */
  readonly requests: number;
  /** Requests that were reserved and given back. */
  readonly refunded: number;
  readonly hits: number;
  readonly misses: number;
  readonly failed: number;
  /** Millionths of the currency. */
  readonly micros: number;
}

export type SpendRow = Pick<SpendPlace, 'quarterAt' | 'job' | 'operation' | 'currency'> &
  SpendCounts;

/** What a run has spent, all its starts together. */
export type RunSpend = Pick<SpendRow, 'operation' | 'currency' | 'requests' | 'micros'>;

/** What was paid, counted so finely that no time zone is cut. */
export interface Spend {
  /** Adds to what stands there; refunds are negative requests. */
  add(place: SpendPlace, change: Partial<SpendCounts>): void;
  /** Requests of an account in a month, and of them those of a day. Periods that come later do not count. */
  requestsIn(account: Buffer, month: Period, day: Period): { month: number; day: number };
  /** Everything from a moment on, in the order of time. */
  since(quarterAt: number): SpendRow[];
  ofRun(runId: number): RunSpend[];
}

const nothing: SpendCounts = { requests: 0, refunded: 0, hits: 0, misses: 0, failed: 0, micros: 0 };

export function spendIn(db: Database): Spend {
  const statements = prepareStatements(db);
  return {
    add: (place, change) => void statements.add.run({ ...place, ...nothing, ...change }),
    requestsIn: (account, { fromMs, untilMs }, day) =>
      statements.requestsIn.get({
        account,
        fromMs,
        untilMs,
        dayMs: day.fromMs,
        dayEndMs: day.untilMs,
      }) ?? { month: 0, day: 0 },
    since: (quarterAt) => statements.since.all({ quarterAt }),
    ofRun: (runId) => statements.ofRun.all({ runId }),
  };
}

function prepareStatements(db: Database) {
  return {
    add: db.prepare<SpendPlace & SpendCounts>(`
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
        failed = failed + excluded.failed, micros = micros + excluded.micros`),
    requestsIn: db.prepare<object, { month: number; day: number }>(`
      select coalesce(sum(requests), 0) as month, coalesce(sum(requests) filter (
        where quarter_at >= :dayMs and quarter_at < :dayEndMs), 0) as day
      from spend where quarter_at >= :fromMs and quarter_at < :untilMs and account = :account`),
    since: db.prepare<{ quarterAt: number }, SpendRow>(`
      select quarter_at as quarterAt, job, operation, currency, sum(requests) as requests,
        sum(refunded) as refunded, sum(hits) as hits, sum(misses) as misses,
        sum(failed) as failed, sum(micros) as micros
      from spend where quarter_at >= :quarterAt
      group by quarter_at, job, operation, currency`),
    ofRun: db.prepare<{ runId: number }, RunSpend>(`
      select operation, currency, sum(requests) as requests, sum(micros) as micros
      from spend where run_id = :runId and run_id > 0
      group by operation, currency`),
  };
}
