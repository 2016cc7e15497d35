import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { type Counts, noCounts } from '../../../core/rules/outcomes.ts';
import type { Warning } from '../../../core/rules/warnings.ts';
import type { Period } from '../../../core/values/calendar.ts';
import type { Statements } from '../statements.ts';

/** Counts as in the written files: each person once, and rows with a stale answer are not open. */
type WrittenCounts = Pick<Counts, 'rows' | 'people'> & { readonly warnings?: Warning[] };

/** These functions must stay fast, so none of them reads all rows. */
export function progressIn({ run, get }: Statements) {
  const put = run(`
    insert or replace into progress (run_id, counts, fresh_until)
    values (:runId, :counts, :freshUntil)`);
  const putWritten = run(`
    update progress set counts = json_set(counts, '$.written', json(?)) where run_id = ?`);
  const noteOf = get<{ counts: string; freshUntil: number | null }>(
    `select counts, fresh_until as freshUntil from progress where run_id = ?`,
  );
  let last: string | undefined;
  const read = (runId: number) => {
    const note = noteOf(runId);
    return note && (JSON.parse(note.counts) as Counts & { readonly written?: WrittenCounts });
  };
  return {
    /** Call in the transaction that changes the counts. */
    put(runId: number, counts: Counts, freshUntil: number) {
      const note = {
        runId,
        counts: JSON.stringify(counts),
        freshUntil: Number.isFinite(freshUntil) ? Math.floor(freshUntil) : null,
      };
      const text = `${runId} ${note.counts} ${note.freshUntil}`;
      if (text !== last) put(note);
      last = text;
    },
    of(runId: number): Counts {
      const { written: _, ...counts } = read(runId) ?? { ...noCounts(), written: undefined };
      return counts;
    },
    putWritten: (runId: number, written: WrittenCounts) =>
      void putWritten(JSON.stringify(written), runId),
    written: (runId: number) => read(runId)?.written,
    freshUntil: (runId: number) => noteOf(runId)?.freshUntil ?? Number.POSITIVE_INFINITY,
  };
}

/** A merged answer has a new id, but may be older. */
const isUnpublished = `
  p.id > :publishedId and (p.replaced_id is not null or p.fetched_at > :publishedAt)`;

/**
 * Lookups of companies known before. Skips answers stored since the last published result, which
 * come from held and `--limit` runs.
 */
const knownLookups = (only: string) => `
  with recursive chain (call_id, before_id) as (
    select d.call_id, iif(d.source = 'called', a.replaced_id, a.id)
    from completed_call d cross join answer a on a.id = d.answer_id
    where d.run_id = :runId and d.search_id is null and a.outcome <> 'failed'
      and (${only})
      and (:serviceId is null
        or (select service_id from call where id = d.call_id) = :serviceId)
    union all
    select k.call_id, p.replaced_id from chain k
    cross join answer p on p.id = k.before_id where ${isUnpublished}
  ),
  known as (
    select k.call_id, p.id as answer_id from chain k
    cross join answer p on p.id = k.before_id
    where p.outcome = 'hit' and not (${isUnpublished}))`;

/** Null: of the only service of the run. */
type AtService = { readonly serviceId: number | null };

export type Since = {
  readonly runId: number;
  readonly publishedId: number;
  readonly publishedAt: number;
};

export function missesIn({ run, all, value }: Statements) {
  return {
    countKnown: value<number, [Since & AtService]>(`
      ${knownLookups(`d.source = 'called' or a.outcome <> 'hit'`)}
      select count(*) from known`),
    missed: all<{ callId: number; answerId: number }, [Since & AtService]>(`
      ${knownLookups(`a.outcome = 'miss' or a.outcome = 'invalid'`)}
      select call_id as callId, answer_id as answerId from known`),
    /** Whether rows keep the company of a call, or it was found for the last published result. */
    isOfKnownCompany: value<0 | 1, [Omit<Since, 'runId'> & { callId: number; answerId: number }]>(`
      with recursive chain (id) as (
        select :answerId
        union all
        select p.replaced_id from chain k cross join answer p on p.id = k.id
        where ${isUnpublished}
      )
      select exists (
        select 1 from chain k cross join answer p on p.id = k.id
        where p.outcome = 'hit' and not (${isUnpublished}))
        or exists (select 1 from call where id = :callId and unproven_id is not null)`),
    /** Answers to calls for companies that rows keep; see `vanished.ts`. */
    ofKept: all<
      { callId: number; answerId: number; isHit: 0 | 1; missId: number; serviceId: number | null },
      [runId: number]
    >(`
      select d.call_id as callId, c.unproven_id as answerId, a.outcome = 'hit' as isHit,
        a.id as missId, c.service_id as serviceId
      from call c cross join completed_call d on d.run_id = ? and d.call_id = c.id
      cross join answer a on a.id = d.answer_id
      where c.unproven_id is not null and a.outcome <> 'failed'`),
    /** The last company that the service found for any run, by a call after answer `after`. */
    lastFound: value<number | null, [AtService & { service: string; after: number }]>(`
      select max(a.id) from run u cross join completed_call d on d.run_id = u.id
      cross join answer a on a.id = d.answer_id
      where (iif(u.services is null, u.service = :service,
          (select service_id from call where id = d.call_id) = :serviceId))
        and coalesce(u.last_answer_id, :after + 1) > :after
        and d.answer_id > :after and d.source = 'called' and d.search_id is null
        and a.outcome = 'hit'`),
    setKeptAnswer: run<[answerId: number | null, callId: number]>(
      `update call set unproven_id = ? where id = ?`,
    ),
    rowsWithout: all<
      { rowId: number; status: 'not_found' | 'invalid' },
      [runId: number, callIds: string]
    >(`
      select row_id as rowId, status from outcome
      where run_id = ? and (status = 'not_found' or status = 'invalid')
        and (candidate_index > 0 or call_id in (select value from json_each(?)))`),
  };
}

export function fillsIn({ run, all }: Statements) {
  return {
    /** Companies stored since the last published result, each with the last answer before it. */
    refetched: all<
      { answerId: number; beforeId: number; serviceId: number | null },
      [Since & AtService]
    >(`
      ${knownLookups(`a.outcome = 'hit' and (d.source = 'called' or a.id > :publishedId)`)}
      select d.answer_id as answerId, k.answer_id as beforeId,
        (select service_id from call where id = k.call_id) as serviceId
      from known k cross join completed_call d on d.run_id = :runId and d.call_id = k.call_id
      order by d.answer_id`),
    accepted: all<{ field: string; share: number }, [job: string]>(
      `select field, share from accepted_fill where job = ?`,
    ),
    accept: run<[{ job: string; field: string; share: number }]>(`
      insert or replace into accepted_fill (job, field, share) values (:job, :field, :share)`),
    recover: run<[{ job: string; field: string; share: number }]>(`
      update accepted_fill set share = :share
      where job = :job and field = :field and share < :share`),
  };
}

const withChecksum = { params: { [constants.ZSTD_c_checksumFlag]: 1 } };

export function talliesIn({ run, get }: Statements) {
  const put = run(`
    insert or replace into tally (job, run_id, bytes) values (:job, :runId, :bytes)`);
  const find = get<{ runId: number; bytes: Buffer }>(
    `select run_id as runId, bytes from tally where job = ?`,
  );
  return {
    put(job: string, { runId, tally }: { runId: number; tally: unknown }) {
      put({ job, runId, bytes: zstdCompressSync(JSON.stringify(tally), withChecksum) });
    },
    of(job: string) {
      const stored = find(job);
      if (!stored) return undefined;
      try {
        const tally: unknown = JSON.parse(zstdDecompressSync(stored.bytes).toString());
        return { runId: stored.runId, tally };
      } catch {
        return undefined;
      }
    },
  };
}

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
  /** Requests that were or may be charged. */
  requests: 0,
  free: 0,
  hits: 0,
  misses: 0,
  rejected: 0,
  /** In millionths of the currency. */
  micros: 0,
  /** The part of `micros` that was certainly charged. */
  charged: 0,
};

export type SpendCounts = Readonly<typeof nothing>;

const counted = Object.keys(nothing);
const sums = counted.map((count) => `sum(${count}) as ${count}`).join(', ');

export type SpendRow = Omit<SpendKey, 'account' | 'runId'> &
  SpendCounts & {
    readonly isLookup: 0 | 1;
    /** Null if no file describes it. */
    readonly service: string | null;
  };

/** Counts by quarter-hour, because days start on a quarter-hour in every time zone. */
export function spendIn({ run, get, all, value }: Statements) {
  const add = run(`
    insert into spend (
      quarter_at, account, job, run_id, operation, currency, ${counted.join(', ')})
    values (
      :quarterAt, :account, :job, :runId, :operation, :currency,
      ${counted.map((count) => `:${count}`).join(', ')})
    on conflict (quarter_at, account, job, run_id, operation, currency) do update set
      ${counted.map((count) => `${count} = ${count} + excluded.${count}`).join(', ')}`);
  const spentIn = get<{ month: number; day: number }>(`
    select coalesce(sum(amount), 0) as month, coalesce(sum(amount) filter (
      where quarter_at >= :dayMs and quarter_at < :dayEndMs), 0) as day
    from (
      select *, iif(:currency is null, requests, iif(currency = :currency, micros, 0)) as amount
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
      /** Sums the price in this currency. Absent: the requests. */
      currency?: string,
    ) {
      const days = { dayMs, dayEndMs, currency: currency ?? null };
      const of = { ...month, accounts: JSON.stringify(accounts), ...days };
      return spentIn(of) ?? { month: 0, day: 0 };
    },
    /** The quarter-hour of the last answer. */
    lastAnswerAt: (accounts: readonly string[]) => lastAnswerAt(JSON.stringify(accounts)) ?? null,
    since: all<SpendRow, [quarterAt: number]>(`
      select quarter_at as quarterAt, job, run_id = 0 as isLookup, operation, currency,
        (select name from service s where s.account = spend.account) as service, ${sums}
      from spend where quarter_at >= ?
      group by quarter_at, job, isLookup, operation, currency, service`),
    ofRun: all<
      Omit<SpendRow, 'quarterAt' | 'job' | 'isLookup'> & { readonly missed: number },
      [runId: number]
    >(`
      select operation, currency,
        sum(coalesce(charged * misses / nullif(hits + misses + rejected, 0), 0)) as missed,
        (select name from service s where s.account = spend.account) as service, ${sums}
      from spend where run_id = ? and run_id > 0
      group by operation, currency, service`),
  };
}
