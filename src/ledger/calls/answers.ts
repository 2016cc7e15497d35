import type { Database } from 'better-sqlite3';
import type { Match, Outcome } from '../../rules/outcomes.ts';
import { type AnswersByCall, asJson, eachAnswered } from './answers-by-call.ts';
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

export interface Answers {
  /** Stores answers and gives their ids, in the order of the answers. */
  putAnswers(answers: readonly NewAnswer[]): number[];
  /** Makes answers the newest of calls, perhaps of other calls than those that brought them. */
  setNewest(answers: AnswersByCall): void;
  newestAnswer(callId: number): KnownAnswer | undefined;
  /** The newest answers by the ids of their calls. */
  newestAnswers(callIds: readonly number[]): Map<number, KnownAnswer>;
  /** The body of an answer; null when it is damaged, undefined when there is none. */
  body(answerId: number): Buffer | null | undefined;
}

export function answersIn(db: Database, bodies: Bodies): Answers {
  const statements = prepareStatements(db);
  const put = (answer: NewAnswer): number => {
    const { bundleId, start, length, checksum } = bodies.put(answer.body);
    const { lastInsertRowid } = statements.insert.run(
      answer.callId,
      answer.outcome,
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
      answer.callId,
    );
    return Number(lastInsertRowid);
  };
  const setNewest = (answers: AnswersByCall) =>
    void statements.setNewest.run({ answers: asJson(answers) });
  const newestAnswers = (callIds: readonly number[]) => {
    const found = statements.newest.all({ callIds: JSON.stringify(callIds) });
    return new Map(found.map((answer) => [answer.servedId, answer]));
  };
  return {
    putAnswers(answers) {
      const newest = new Map<number, number>();
      const failed: number[] = [];
      const ids = answers.map((answer) => {
        const answerId = put(answer);
        // A failure brings nothing, so an answer that was paid for earlier stays the newest.
        if (answer.outcome !== 'failed') newest.set(answer.callId, answerId);
        else failed.push(answer.callId);
        return answerId;
      });
      if (failed.length > 0) statements.setFailed.run({ callIds: JSON.stringify(failed) });
      if (newest.size > 0) setNewest(newest);
      return ids;
    },
    setNewest,
    newestAnswer: (callId) => newestAnswers([callId]).get(callId),
    newestAnswers,
    body(answerId) {
      const place = statements.place.get({ answerId });
      const body = place && bodies.read(place);
      return body && Buffer.from(body);
    },
  };
}

function keysOf({ aliasKeys }: NewAnswer): Buffer | null {
  if (!aliasKeys || aliasKeys.length === 0) return null;
  if (aliasKeys.length > mostAliasKeys * keyBytes) {
    throw new Error('an answer has more alias keys than are gathered');
  }
  return aliasKeys;
}

function prepareStatements(db: Database) {
  return {
    // Bound by position: to bind so many by name takes a third of the time.
    insert: db.prepare<unknown[]>(`
      insert into answer (
        call_id, outcome, status, message, company_id, match, attempts, duration_ms, fetched_at,
        bundle_id, body_start, body_length, checksum, alias_keys, replaced_id)
      values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, (select answer_id from call where id = ?))`),
    setNewest: db.prepare<{ answers: string }>(`
      update call set answer_id = s.answer_id, has_failed = 0
      from ${eachAnswered} s where call.id = s.call_id`),
    setFailed: db.prepare<{ callIds: string }>(`
      update call set has_failed = 1 where id in (select value from json_each(:callIds))`),
    newest: db.prepare<{ callIds: string }, KnownAnswer & { servedId: number }>(`
      select ${knownAnswerColumns}, c.id as servedId
      from json_each(:callIds) i cross join call c on c.id = i.value
      cross join answer a on a.id = c.answer_id`),
    place: db.prepare<{ answerId: number }, BodyPlace>(
      `select ${bodyColumns} from answer a where a.id = :answerId`,
    ),
  };
}
