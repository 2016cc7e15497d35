import type { Database } from 'better-sqlite3';
import type { BundledBody } from '../contract/call.ts';
import { type Bodies, type BodyPlace, bodyColumns } from './bodies.ts';
import { mostAliasKeys } from './call-key.ts';
import type { Match } from './run-records.ts';

export type Outcome = 'hit' | 'miss' | 'invalid' | 'failed';

export interface NewAnswer {
  readonly outcome: Outcome;
  readonly status: number | null;
  readonly message: string | null;
  readonly companyId: string | null;
  readonly match: Match | null;
  readonly attempts: number;
  readonly durationMs: number;
  readonly fetchedAt: number;
  readonly body: Buffer | BundledBody | null;
  /** Keys of the calls that would have given the same company, `mostAliasKeys` at most. */
  readonly aliasKeys?: readonly Buffer[];
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

/** The columns of an answer `a` that everybody may know. */
export const knownAnswerColumns = `
  a.id, a.call_id as callId, a.outcome, a.message, a.company_id as companyId, a.match,
  a.fetched_at as fetchedAt`;

export interface Answers {
  putAnswer(callId: number, answer: NewAnswer): number;
  /** Lets an answer stand for a call that did not bring it. */
  setNewest(callId: number, answerId: number): void;
  newestAnswer(callId: number): KnownAnswer | undefined;
  /** The body of an answer; null when it is damaged, undefined when there is none. */
  body(answerId: number): Buffer | null | undefined;
}

export function answersIn(db: Database, bodies: Bodies): Answers {
  const statements = prepareStatements(db);
  const setNewest = (callId: number, answerId: number) =>
    void statements.setNewest.run({ callId, answerId });
  return {
    putAnswer(callId, { body, aliasKeys = [], ...answer }) {
      if (aliasKeys.length > mostAliasKeys) {
        throw new Error('an answer has more names than it would be found under');
      }
      const keys = aliasKeys.length === 0 ? null : Buffer.concat(aliasKeys);
      const place = bodies.put(body);
      const inserted = statements.insert.run({ ...answer, ...place, callId, keys });
      const answerId = Number(inserted.lastInsertRowid);
      // A failure brings nothing: what an earlier call was paid for stays at hand.
      if (answer.outcome !== 'failed') setNewest(callId, answerId);
      return answerId;
    },
    setNewest,
    newestAnswer: (callId) => statements.newest.get({ callId }),
    body(answerId) {
      const place = statements.place.get({ answerId });
      const body = place && bodies.read(place);
      return body && Buffer.from(body);
    },
  };
}

function prepareStatements(db: Database) {
  return {
    insert: db.prepare(`
      insert into answer (
        call_id, outcome, status, message, company_id, match, attempts, duration_ms, fetched_at,
        bundle_id, body_start, body_length, checksum, alias_keys)
      values (
        :callId, :outcome, :status, :message, :companyId, :match, :attempts, :durationMs, :fetchedAt,
        :bundleId, :start, :length, :checksum, :keys)`),
    setNewest: db.prepare(`update call set answer_id = :answerId where id = :callId`),
    newest: db.prepare<{ callId: number }, KnownAnswer>(`
      select ${knownAnswerColumns}
      from call c join answer a on a.id = c.answer_id where c.id = :callId`),
    place: db.prepare<{ answerId: number }, BodyPlace>(
      `select ${bodyColumns} from answer a where a.id = :answerId`,
    ),
  };
}
