import type { Period } from '../../../core/values/calendar.ts';
import type { Statements } from '../statements.ts';

export interface SpendKey {
  readonly quarterAt: number;
  readonly account: Buffer;
  readonly job: string;
  /** 0 for a lookup. */
  readonly runId: number;
  readonly operation: 'company' | 'people';
  /** Empty if the job has no price. */
  readonly currency: string;
}

const nothing = {
  /** Requests that were answered or may be charged. */
  requests: 0,
  free: 0,
  hits: 0,
  misses: 0,
  rejected: 0,
  /** Answered requests that cost nothing: misses, if only hits are charged. No budget counts them. */
  unpaid: 0,
  /** In millionths of the currency. */
  micros: 0,
  /** The part of `micros` that was certainly charged. */
  charged: 0,
  /** The part of `charged` for misses. */
  misspent: 0,
};

export type SpendCounts = Readonly<typeof nothing>;

const columns = Object.keys(nothing);
const sums = columns.map((column) => `sum(${column}) as ${column}`).join(', ');

export type SpendRow = Omit<SpendKey, 'account' | 'runId'> &
  SpendCounts & {
    readonly isLookup: 0 | 1;
    /** Null if no file describes it. */
    readonly service: string | null;
  };

/** Counts by quarter-hour, because days start on a quarter-hour in every time zone. */
export function spendIn({ change, get, all, value }: Statements) {
  const add = change(`
    insert into spend (
      quarter_at, account, job, run_id, operation, currency, ${columns.join(', ')})
    values (
      :quarterAt, :account, :job, :runId, :operation, :currency,
      ${columns.map((column) => `:${column}`).join(', ')})
    on conflict (quarter_at, account, job, run_id, operation, currency) do update set
      ${columns.map((column) => `${column} = ${column} + excluded.${column}`).join(', ')}`);
  const spentIn = get<{ month: number; day: number }>(`
    select coalesce(sum(amount), 0) as month, coalesce(sum(amount) filter (
      where quarter_at >= :dayMs and quarter_at < :dayEndMs), 0) as day
    from (
      select *, iif(:currency is null, requests - unpaid, iif(currency = :currency, iif(:isCertain, charged, micros), 0)) as amount
      from spend
    ) where quarter_at >= :fromMs and quarter_at < :untilMs
      and account in (select unhex(value) from json_each(:accounts))`);
  const lastAnswerAt = value<number | null, [accounts: string]>(`
    select max(quarter_at) from spend where hits + misses + rejected + free > 0
      and account in (select unhex(value) from json_each(?))`);
  return {
    add: (key: SpendKey, change: Partial<SpendCounts>) =>
      void add({ ...key, ...nothing, ...change }),
    spentIn(
      accounts: readonly string[],
      month: Period,
      { fromMs: dayMs, untilMs: dayEndMs }: Period,
      /** Sums the price in this currency. Absent: the requests that may be charged. */
      currency?: string,
      /** Only what certainly was charged. Budgets also count what may have been. */
      isCertain = false,
    ) {
      const days = { dayMs, dayEndMs, currency: currency ?? null, isCertain: Number(isCertain) };
      const asked = { ...month, accounts: JSON.stringify(accounts), ...days };
      return spentIn(asked) ?? { month: 0, day: 0 };
    },
    /** The quarter-hour of the last answer. */
    lastAnswerAt: (accounts: readonly string[]) => lastAnswerAt(JSON.stringify(accounts)) ?? null,
    since: all<SpendRow, [quarterAt: number]>(`
      select quarter_at as quarterAt, job, run_id = 0 as isLookup, operation, currency,
        (select name from service s where s.account = spend.account) as service, ${sums}
      from spend where quarter_at >= ?
      group by quarter_at, job, isLookup, operation, currency, service`),
    ofRun: all<Omit<SpendRow, 'quarterAt' | 'job' | 'isLookup'>, [runId: number]>(`
      select operation, currency,
        (select name from service s where s.account = spend.account) as service, ${sums}
      from spend where run_id = ? and run_id > 0
      group by operation, currency, service`),
  };
}
