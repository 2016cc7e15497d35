import type { Match, Outcome } from '../../rules/outcomes.ts';
import type { Statements } from '../statements.ts';
import { type Bodies, type BodyPlace, bodyColumns } from './bodies.ts';
import type { BundledBody } from './bundles.ts';
import { keyBytes, mostAliasKeys } from './call-key.ts';

export interface NewAnswer {
  readonly callId: number;
  readonly outcome: Outcome;
  readonly status: number | null;
  readonly message: string | null;
  readonly companyId: string | null;
  readonly match: Match | null;
  readonly attempts: number;
  readonly durationMs: number;
  readonly fetchedAt: number;
  readonly body: Buffer | BundledBody | null;
  /** Keys of the calls for the company's other identifiers, joined, `mostAliasKeys` at most. */
  readonly aliasKeys?: Buffer;
}

/** An answer without its body. */
export interface KnownAnswer {
  readonly id: number;
  /** The call that brought it, which may be another than the one it serves. */
  readonly callId: number;
  readonly outcome: Outcome;
  readonly message: string | null;
  readonly companyId: string | null;
  readonly match: Match | null;
  readonly fetchedAt: number;
}

/** The columns of an answer `a` that make a `KnownAnswer`. */
export const knownAnswerColumns = `
  a.id, a.call_id as callId, a.outcome, a.message, a.company_id as companyId, a.match,
  a.fetched_at as fetchedAt`;

export function answersIn({ run, get, all, value, inPortions }: Statements, bodies: Bodies) {
  const lastId = value<[], number>(`select coalesce(max(id), 0) from answer`);
  const insert = inPortions(
    `(${'?, '.repeat(15)}(select answer_id from call where id = ?))`,
    (rows) => `
      insert into answer (
        id, call_id, outcome, status, message, company_id, match, attempts, duration_ms,
        fetched_at, bundle_id, body_start, body_length, checksum, alias_keys, replaced_id)
      values ${rows}`,
  );
  const putNewest = run<[answers: string]>(`
    update call set answer_id = s.answer_id, has_failed = 0
    from (
      select cast(key as integer) as call_id, value as answer_id from json_each(?)
    ) s where call.id = s.call_id`);
  const setFailed = run<[callIds: string]>(`
    update call set has_failed = 1 where id in (select value from json_each(?))`);
  const newestOf = all<[callIds: string], KnownAnswer & { servedId: number }>(`
    select ${knownAnswerColumns}, c.id as servedId
    from json_each(?) i cross join call c on c.id = i.value
    cross join answer a on a.id = c.answer_id`);
  const placeOf = get<[answerId: number], BodyPlace>(
    `select ${bodyColumns} from answer a where a.id = ?`,
  );
  const setNewest = (answers: AnswersByCall) => void putNewest(asJson(answers));
  const newestAnswers = (callIds: readonly number[]) =>
    new Map<number, KnownAnswer>(
      newestOf(JSON.stringify(callIds)).map((answer) => [answer.servedId, answer]),
    );
  return {
    /** Stores answers and gives their ids, in the order of the answers. */
    putAnswers(answers: readonly NewAnswer[]): number[] {
      const before = lastId();
      const newest = new Map<number, number>();
      const failed: number[] = [];
      const values = answers.map((answer, index) => {
        const { callId, outcome } = answer;
        const id = before + 1 + index;
        // A failure brings nothing, so an answer that was paid for earlier stays the newest.
        if (outcome !== 'failed') newest.set(callId, id);
        else failed.push(callId);
        const { bundleId, start, length, checksum } = bodies.put(answer.body);
        return [
          id,
          callId,
          outcome,
          answer.status,
          answer.message,
          answer.companyId,
          answer.match,
          answer.attempts,
          answer.durationMs,
          answer.fetchedAt,
          bundleId,
          start,
          length,
          checksum,
          keysOf(answer),
          callId,
        ];
      });
      insert(values);
      if (failed.length > 0) setFailed(JSON.stringify(failed));
      if (newest.size > 0) setNewest(newest);
      return values.map((_, index) => before + 1 + index);
    },
    /** Makes answers the newest of calls, perhaps of other calls than those that brought them. */
    setNewest,
    newestAnswer: (callId: number) => newestAnswers([callId]).get(callId),
    /** The newest answers by the ids of their calls. */
    newestAnswers,
    /** The body of an answer; null when it is damaged, undefined when there is none. */
    body(answerId: number) {
      const place = placeOf(answerId);
      const body = place && bodies.read(place);
      return body && Buffer.from(body);
    },
  };
}

/** Which answer is which call's: the id of the answer by the id of the call. */
type AnswersByCall = ReadonlyMap<number, number>;

/** `{"<call>":<answer>}`. To make an object first takes four times as long. */
function asJson(answers: AnswersByCall): string {
  const pairs: string[] = [];
  for (const [callId, answerId] of answers) pairs.push(`"${callId}":${answerId}`);
  return `{${pairs.join()}}`;
}

function keysOf({ aliasKeys }: NewAnswer): Buffer | null {
  if (!aliasKeys || aliasKeys.length === 0) return null;
  if (aliasKeys.length > mostAliasKeys * keyBytes) {
    throw new Error('an answer has more alias keys than are gathered');
  }
  return aliasKeys;
}
