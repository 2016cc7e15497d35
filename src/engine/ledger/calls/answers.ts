import type { Misses } from '../../../core/rules/known-company.ts';
import type { CallResultKind, Match } from '../../../core/rules/outcomes.ts';
import type { SqlValue, Statements } from '../statements.ts';
import type { Bodies, BodyLocation, BundledBody } from './bodies.ts';

export interface NewAnswer {
  readonly callId: number;
  readonly result: CallResultKind;
  readonly status: number | null;
  readonly message: string | null;
  readonly companyId: string | null;
  readonly match: Match | null;
  readonly attempts: number;
  readonly durationMs: number;
  readonly fetchedAt: number;
  readonly body: Buffer | BundledBody | null;
  /** Call keys of the company's other identifiers, concatenated. */
  readonly aliasKeys?: Buffer;
}

export interface KnownAnswer {
  readonly id: number;
  /** The call that fetched the answer, which may serve other calls too. */
  readonly callId: number;
  readonly result: CallResultKind;
  readonly message: string | null;
  readonly companyId: string | null;
  readonly match: Match | null;
  readonly fetchedAt: number;
  /** Id of the hit before a miss. Set while the rows keep the company of that hit. */
  readonly keptAnswerId?: number | null;
}

export interface StoredAnswer extends KnownAnswer {
  readonly status: number | null;
  readonly attempts: number;
  readonly durationMs: number;
  readonly text: string;
}

interface OfService {
  readonly serviceId: number;
  readonly upTo: number;
}

/**
 * The column `outcome` is the result of the call. Everywhere else only rows have outcomes, but the
 * column is older. `unreadable` is stored as `oversized`, which the check of the table allows. Only
 * unreadable answers keep a body.
 */
const resultColumn = `
  iif(a.outcome = 'oversized' and a.bundle_id is not null, 'unreadable', a.outcome) as result`;

export const knownAnswerColumns = `
  a.id, a.call_id as callId, ${resultColumn}, a.message, a.company_id as companyId, a.match,
  a.fetched_at as fetchedAt`;

export function answersIn({ change, get, all, value, inPortions }: Statements, bodies: Bodies) {
  const lastId = value<number>(`select coalesce(max(id), 0) from answer`);
  const insert = inPortions(
    `(${'?, '.repeat(17)}(select answer_id from call where id = ?))`,
    (rows) => `
      insert into answer (
        id, call_id, outcome, status, message, company_id, match, attempts, duration_ms,
        fetched_at, bundle_id, body_start, body_length, checksum, flat_length, flat_version,
        alias_keys, replaced_id)
      values ${rows}`,
  );
  const putNewest = change(`
    update call set answer_id = s.answer_id, has_failed = 0
    from (
      select cast(key as integer) as call_id, value as answer_id from json_each(?)
    ) s where call.id = s.call_id`);
  const setFailed = change(`
    update call set has_failed = 1 where id in (select value from json_each(?))`);
  const newest = `select ${knownAnswerColumns}, c.id as servedId, c.kept_answer_id as keptAnswerId`;
  const ofCall = `cross join answer a on a.id = c.answer_id`;
  const newestOf = all<KnownAnswer & { servedId: number }>(
    `${newest} from json_each(?) i cross join call c on c.id = i.value ${ofCall}`,
  );
  const newestAt = inPortions<KnownAnswer & { servedId: number; position: number }>(
    '(?, ?)',
    (keys) => `
      ${newest}, wanted.column1 as position
      from (values ${keys}) wanted cross join call c on c.key = wanted.column2 ${ofCall}`,
  );
  const missStreakOf = get<Misses>(`
    with recursive miss (id, fetched_at, replaced_id) as (
      select id, fetched_at, replaced_id from answer where id = :answerId
      union all
      select p.id, p.fetched_at, p.replaced_id
      from miss m cross join answer p on p.id = m.replaced_id
      where p.outcome = 'miss' or p.outcome = 'invalid'
    )
    select min(id) as firstId, count(*) as count,
      (select fetched_at from answer where id = :answerId) - fetched_at as forMs
    from miss`);
  const setNewest = (answers: AnswersByCall) => void putNewest(asJson(answers));
  const newestAnswers = (callIds: readonly number[]) =>
    new Map<number, KnownAnswer>(
      newestOf(JSON.stringify(callIds)).map((answer) => [answer.servedId, answer]),
    );
  return {
    putAnswers(answers: readonly NewAnswer[]): number[] {
      const before = lastId();
      const newest = new Map<number, number>();
      const failed: number[] = [];
      const values = answers.map((answer, index) => {
        const { callId, result } = answer;
        const id = before + 1 + index;
        // After a failure, the earlier paid answer stays the newest.
        if (result !== 'failed') newest.set(callId, id);
        else failed.push(callId);
        return valuesOf(id, answer, bodies.put(answer.body));
      });
      insert(values);
      if (failed.length > 0) setFailed(JSON.stringify(failed));
      if (newest.size > 0) setNewest(newest);
      return values.map((_, index) => before + 1 + index);
    },
    setNewest,
    newestAnswer: (callId: number) => newestAnswers([callId]).get(callId),
    newestAnswers,
    /** Answers to calls that may be unknown, by the place of the key. */
    newestAt: (keys: readonly Buffer[]) =>
      new Map(newestAt(keys.map((key, place) => [place, key])).map((one) => [one.position, one])),
    missStreak: (answerId: number) => missStreakOf({ answerId }) as Misses,
    /** The newest answers of a service that have a body, a part at a time. */
    readable: all<StoredAnswer, [OfService & { after: number; limit: number }]>(`
      select ${knownAnswerColumns}, a.status, a.attempts, a.duration_ms as durationMs, c.text
      from call c join answer a on a.id = c.answer_id
      where c.service_id = :serviceId and a.call_id = c.id and a.bundle_id is not null
        and a.id > :after and a.id <= :upTo
      order by a.id limit :limit`),
    lastId,
    answer: get<KnownAnswer, [answerId: number]>(
      `select ${knownAnswerColumns} from answer a where a.id = ?`,
    ),
    /** Returns null if the body is damaged, and undefined if there is none. */
    body(answerId: number) {
      const body = bodies.readOf(answerId);
      return body && Buffer.from(body);
    },
  };
}

function valuesOf(id: number, answer: NewAnswer, place: BodyLocation): SqlValue[] {
  const { callId, result } = answer;
  return [
    id,
    callId,
    result === 'unreadable' ? 'oversized' : result,
    answer.status,
    answer.message,
    answer.companyId,
    answer.match,
    answer.attempts,
    answer.durationMs,
    answer.fetchedAt,
    place.bundleId,
    place.start,
    place.length,
    place.checksum,
    place.flatLength,
    place.flatVersion,
    answer.aliasKeys?.length ? answer.aliasKeys : null,
    callId,
  ];
}

export type AnswersByCall = ReadonlyMap<number, number>;

/** Building an object first takes four times as long. */
function asJson(answers: AnswersByCall) {
  const pairs: string[] = [];
  for (const [callId, answerId] of answers) pairs.push(`"${callId}":${answerId}`);
  return `{${pairs.join()}}`;
}
