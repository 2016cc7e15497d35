import type { Database } from 'better-sqlite3';
import type { Country } from '../../contract/countries.ts';
import type { RowCandidate, WaitingRow } from '../../rules/next-candidate.ts';
import type { Match, RowStatus } from '../../rules/outcomes.ts';
import type { RowEnd } from '../../rules/row-verdict.ts';
import { type AnswersByCall, asJson, eachAnswered } from '../calls/answers-by-call.ts';
import { inPortions } from '../in-portions.ts';
import { checksumOf, defineOutcomeChecksum, isWhole, putOutcomes } from './outcome-checksum.ts';

/** A row that begins to wait for the call of one of its candidates. */
export interface NewWaiting {
  readonly callId: number;
  readonly rowId: number;
  /** Which of its candidates, from 0. */
  readonly place: number;
  readonly candidatesLeft: number;
}

/** What a row came to, as a later run finds it. */
export interface KnownOutcome {
  readonly rowId: number;
  /** The run in which it became so. */
  readonly runId: number;
  readonly status: RowStatus;
  readonly match: Match | null;
  readonly answerId: number | null;
  readonly callId: number | null;
  /** Canonical text of that call. */
  readonly request: string | null;
  readonly place: number | null;
  readonly isStale: 0 | 1;
}

/** A row that keeps an answer which is older than its job allows. */
export interface StaleOutcome extends RowEnd {
  readonly rowId: number;
  readonly answerId: number;
  readonly callId: number;
  readonly place: number;
}

export interface Outcomes {
  wait(runId: number, rows: readonly NewWaiting[]): void;
  /** A row that asks for nothing ends at once. */
  reject(runId: number, rowId: number, reject: { reason: string; message: string }): void;
  /** Ends every row that waits for one of the calls, and gives how many they were. */
  endWaiting(runId: number, answers: AnswersByCall, end: RowEnd): number;
  /** Ends the rows that have no further candidate. */
  endExhausted(runId: number, answers: AnswersByCall, end: RowEnd): number;
  /** Rows that wait for the calls, `limit` at most. */
  waiting(runId: number, answers: AnswersByCall, limit: number): WaitingRow[];
  /** All rows that wait, after one of them, by call and row. */
  allWaiting(runId: number, after: WaitingPlace, limit: number): WaitingRow[];
  /** Lets a row wait for the call of a later candidate. */
  moveOn(runId: number, row: WaitingRow, place: number, callId: number): void;
  /** Stores stale outcomes; a row that waits goes on to do so. */
  keepStale(runId: number, rows: readonly StaleOutcome[]): void;
  /** A row waits no more. */
  stopWaiting(runId: number, row: Pick<WaitingRow, 'rowId' | 'callId'>): void;
  /** What rows came to, up to a run; outcomes that have changed on the disk are left out. */
  upTo(runId: number, rowIds: readonly number[]): KnownOutcome[];
  /** Notes of outcomes of a run that the records are as they were: in which run they became so. */
  setChangedRun(runId: number, rows: readonly { rowId: number; changedRun: number }[]): void;
  /** Whether anything became different in these runs: after one, and up to another. */
  hasAny(after: number, upTo: number, job: string): boolean;
}

export type WaitingPlace = Pick<WaitingRow, 'callId' | 'rowId'>;

interface StoredWaiting {
  readonly rowId: number;
  readonly callId: number;
  readonly country: Country;
  readonly candidates: string;
  readonly place: number;
}

export function outcomesIn(db: Database): Outcomes {
  const statements = prepareStatements(db);
  const asWaiting = (row: StoredWaiting): WaitingRow => ({
    ...row,
    candidates: JSON.parse(row.candidates) as RowCandidate[],
  });
  const end = (
    { put, leave }: (typeof statements)['endWaiting'],
    runId: number,
    byCall: AnswersByCall,
    { status, reason, message, match }: RowEnd,
  ) => {
    const answers = asJson(byCall);
    const { changes } = put.run({ runId, answers, status, reason, message, match });
    if (changes > 0) leave.run({ runId, answers });
    return changes;
  };
  return {
    wait: (runId, rows) =>
      statements.wait.run(
        rows.map(({ callId, rowId, place, candidatesLeft }) => [
          ...[runId, callId, rowId, place, candidatesLeft],
        ]),
      ),
    reject: (runId, rowId, reject) => void statements.reject.run({ runId, rowId, ...reject }),
    endWaiting: (runId, answers, how) => end(statements.endWaiting, runId, answers, how),
    endExhausted: (runId, answers, how) => end(statements.endExhausted, runId, answers, how),
    waiting: (runId, answers, limit) =>
      statements.waiting.all({ runId, answers: asJson(answers), limit }).map(asWaiting),
    allWaiting: (runId, { callId, rowId }, limit) =>
      statements.allWaiting.all({ runId, callId, rowId, limit }).map(asWaiting),
    moveOn(runId, { rowId, callId: from, candidates }, place, callId) {
      statements.leave.run({ runId, rowId, callId: from });
      const candidatesLeft = candidates.length - place - 1;
      statements.wait.run([[runId, callId, rowId, place, candidatesLeft]]);
    },
    keepStale(runId, rows) {
      for (const row of rows) statements.keepStale.run({ runId, ...row });
    },
    stopWaiting: (runId, { rowId, callId }) => void statements.leave.run({ runId, rowId, callId }),
    upTo: (runId, rowIds) => statements.upTo.all({ runId, rowIds: JSON.stringify(rowIds) }),
    setChangedRun(runId, rows) {
      for (const row of rows) statements.setChangedRun.run({ runId, ...row });
    },
    hasAny: (after, upTo, job) => statements.hasAny.get({ after, upTo, job }) !== undefined,
  };
}

/** The outcome of a row `r` in run :runId: its last one up to it. */
export const lastOutcome = `
  o.row_id = r.id and o.run_id = (
    select max(e.run_id) from outcome e where e.row_id = r.id and e.run_id <= :runId)`;

/** The last published run up to :runId in which a row came to something else than a failure. */
export const runBeforeFailure = (rowId: string) => `
  select max(k.run_id) from outcome k join run u on u.id = k.run_id
  where k.row_id = ${rowId} and k.run_id <= :runId and k.status <> 'failed'
    and u.state = 'finished' and u.held is null and u.row_limit is null`;

function prepareStatements(db: Database) {
  defineOutcomeChecksum(db);
  type OfAnswers = { runId: number; answers: string };
  type Ended = OfAnswers & RowEnd;
  const waitingForCalls = `
    ${eachAnswered} s cross join waiting w on w.run_id = :runId and w.call_id = s.call_id`;
  const ending = (which: string) => ({
    put: db.prepare<Ended>(
      putOutcomes(
        `w.row_id, w.run_id, :status, :reason, coalesce(:message, a.message), a.id,
          coalesce(:match, a.match), w.call_id, w.place, 0, null`,
        `from ${waitingForCalls} cross join answer a on a.id = s.answer_id where ${which}`,
      ),
    ),
    leave: db.prepare<OfAnswers>(`
      delete from waiting as w
      where w.run_id = :runId and w.call_id in (select call_id from ${eachAnswered}) and ${which}`),
  });
  return {
    wait: inPortions(
      db,
      5,
      (rows) => `
        insert into waiting (run_id, call_id, row_id, place, candidates_left) values ${rows}
        on conflict do nothing`,
    ),
    leave: db.prepare<{ runId: number; callId: number; rowId: number }>(`
      delete from waiting where run_id = :runId and call_id = :callId and row_id = :rowId`),
    reject: db.prepare(
      putOutcomes(`:rowId, :runId, 'invalid', :reason, :message, null, null, null, null, 0, null`),
    ),
    endWaiting: ending('true'),
    endExhausted: ending('w.candidates_left = 0'),
    waiting: db.prepare<OfAnswers & { limit: number }, StoredWaiting>(`
      select w.row_id as rowId, w.call_id as callId, r.country, r.candidates, w.place
      from ${waitingForCalls} cross join row r on r.id = w.row_id limit :limit`),
    allWaiting: db.prepare<WaitingPlace & { runId: number; limit: number }, StoredWaiting>(`
      select w.row_id as rowId, w.call_id as callId, r.country, r.candidates, w.place
      from waiting w cross join row r on r.id = w.row_id
      where w.run_id = :runId and (w.call_id, w.row_id) > (:callId, :rowId)
      order by w.call_id, w.row_id limit :limit`),
    keepStale: db.prepare(
      putOutcomes(
        `:rowId, :runId, :status, :reason, coalesce(:message, a.message), a.id,
          coalesce(:match, a.match), :callId, :place, 1, null`,
        `from answer a where a.id = :answerId`,
      ),
    ),
    upTo: db.prepare<{ runId: number; rowIds: string }, KnownOutcome>(`
      select o.row_id as rowId, o.run_id as runId, o.status, o.match, o.answer_id as answerId,
        o.call_id as callId, c.request, o.place, o.is_stale as isStale
      from (select value as id from json_each(:rowIds)) r
      cross join outcome o on ${lastOutcome}
      left join call c on c.id = o.call_id
      where ${isWhole('o')}`),
    setChangedRun: db.prepare(`
      update outcome as o set changed_run = :changedRun, checksum = ${checksumOf('o', ':changedRun')}
      where row_id = :rowId and run_id = :runId`),
    hasAny: db.prepare<{ after: number; upTo: number; job: string }, object>(`
      select 1 from run u
      where u.id > :after and u.id <= :upTo and u.job = :job and (
        exists (select 1 from outcome o where o.run_id = u.id)
        or exists (select 1 from search s where s.run_id = u.id))
      limit 1`),
  };
}
