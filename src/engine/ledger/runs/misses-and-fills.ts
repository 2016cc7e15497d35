import type { Statements } from '../statements.ts';

/**
 * Answer `p` was stored since the last published result. Its id alone does not show that, because
 * `ledger merge` gives old answers new ids.
 */
const isUnpublished = `
  p.id > :publishedId and (p.replaced_id is not null or p.fetched_at > :publishedAt)`;

/** In place of the id of a service. Also calls that are older than services. */
export const allServices = 0;

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
      and (:serviceId = ${allServices}
        or (select service_id from call where id = d.call_id) = :serviceId)
    union all
    select k.call_id, p.replaced_id from chain k
    cross join answer p on p.id = k.before_id where ${isUnpublished}
  ),
  known as (
    select k.call_id, p.id as answer_id from chain k
    cross join answer p on p.id = k.before_id
    where p.outcome = 'hit' and not (${isUnpublished}))`;

type AtService = { readonly serviceId: number };

export type Since = {
  readonly runId: number;
  readonly publishedId: number;
  readonly publishedAt: number;
};

export function missesIn({ change, all, value }: Statements) {
  return {
    countKnown: value<number, [Since & AtService]>(`
      ${knownLookups(`d.source = 'called' or a.outcome <> 'hit'`)}
      select count(*) from known`),
    missed: all<
      { callId: number; answerId: number; serviceId: number | null },
      [Since & AtService]
    >(`
      ${knownLookups(`a.outcome = 'miss' or a.outcome = 'invalid'`)}
      select k.call_id as callId, k.answer_id as answerId,
        (select service_id from call where id = k.call_id) as serviceId from known k`),
    /** Whether the last published result has the company of a call. */
    isPublished: value<0 | 1, [Since & { answerId: number }]>(`
      with recursive chain (id) as (
        select :answerId
        union all
        select p.replaced_id from chain k cross join answer p on p.id = k.id
        where ${isUnpublished}
      )
      select exists (
        select 1 from chain k cross join answer p on p.id = k.id
        where p.outcome = 'hit' and not (${isUnpublished}))`),
    /** Whether rows keep the company of a missed call. */
    isKept: value<0 | 1, [answerId: number]>(`
      select exists (
        select 1 from answer a cross join call c on c.id = a.call_id
        where a.id = ? and c.kept_answer_id is not null)`),
    /** Answers to calls for companies that rows keep; see `known-company.ts`. */
    ofKept: all<
      { callId: number; answerId: number; isHit: 0 | 1; missId: number; serviceId: number | null },
      [runId: number]
    >(`
      select d.call_id as callId, c.kept_answer_id as answerId, a.outcome = 'hit' as isHit,
        a.id as missId, c.service_id as serviceId
      from call c cross join completed_call d on d.run_id = ? and d.call_id = c.id
      cross join answer a on a.id = d.answer_id
      where c.kept_answer_id is not null and a.outcome <> 'failed'`),
    /**
     * The last company that the service found for any run, by a call after answer `after`. The id is
     * null for a call that is older than services.
     */
    lastFound: value<
      number | null,
      [{ serviceId: number | null; service: string; after: number }]
    >(`
      select max(a.id) from run u cross join completed_call d on d.run_id = u.id
      cross join answer a on a.id = d.answer_id
      where (iif(u.services is null, u.service = :service,
          (select service_id from call where id = d.call_id) = :serviceId))
        and coalesce(u.last_answer_id, :after + 1) > :after
        and d.answer_id > :after and d.source = 'called' and d.search_id is null
        and a.outcome = 'hit'`),
    setKeptAnswer: change<[answerId: number | null, callId: number]>(
      `update call set kept_answer_id = ? where id = ?`,
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

export function fillsIn({ change, all }: Statements) {
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
    accept: change<[{ job: string; field: string; share: number }]>(`
      insert or replace into accepted_fill (job, field, share) values (:job, :field, :share)`),
    recover: change<[{ job: string; field: string; share: number }]>(`
      update accepted_fill set share = :share
      where job = :job and field = :field and share < :share`),
  };
}
