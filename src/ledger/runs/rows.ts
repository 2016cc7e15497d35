import type { Database } from 'better-sqlite3';
import type { Country } from '../../contract/countries.ts';
import type { RowCandidate, WaitingRow } from '../../rules/next-candidate.ts';
import type { Counts, RowStatus } from '../../rules/outcomes.ts';
import type { RowEnd } from '../../rules/row-verdict.ts';
import { type AnswersByCall, asJson, eachAnswered } from '../calls/answers-by-call.ts';
import { inPortions, type SqlValue } from '../in-portions.ts';

export interface NewRow {
  readonly runId: number;
  readonly number: number;
  readonly line: number;
  readonly key: string;
  readonly cells: readonly (string | undefined)[];
  readonly country: Country | undefined;
  readonly candidates: readonly RowCandidate[];
  /** The call of its first candidate; null for a row that asks for nothing. */
  readonly callId: number | null;
  /** Why it asks for nothing; the row ends as invalid at once. */
  readonly reject?: { readonly reason: string; readonly message: string };
}

/** How rows end, and whether they can be found by their company, to tell whose people were found. */
export interface StoredEnd extends RowEnd {
  readonly isOfCompany: boolean;
}

export interface Rows {
  add(rows: readonly NewRow[]): void;
  /** Ends every row that waits for one of the calls, and gives how many they were. */
  endWaiting(runId: number, answers: AnswersByCall, end: StoredEnd): number;
  /** Ends the rows that have no further candidate. */
  endExhausted(runId: number, answers: AnswersByCall, end: StoredEnd): number;
  /** Rows that wait for the calls, `limit` at most. */
  waiting(runId: number, answers: AnswersByCall, limit: number): WaitingRow[];
  /** Lets a row wait for the call of a later candidate, never of an earlier one. */
  moveOn(runId: number, number: number, place: number, callId: number): void;
  counts(runId: number): Counts['rows'];
  /** How many candidates the rows have asked for, each row for itself. */
  asked(runId: number): number;
  /** The number of the run's last row, which is how many it has. */
  last(runId: number): number;
}

export function rowsIn(db: Database): Rows {
  const statements = prepareStatements(db);
  const last = (runId: number) => statements.last.get({ runId })?.number ?? 0;
  return {
    add(rows) {
      statements.insert.run(rows.map(valuesOf));
      for (const { runId, number, reject } of rows) {
        if (reject) statements.reject.run({ runId, number, ...reject });
      }
    },
    endWaiting: (runId, answers, end) =>
      statements.endWaiting.run(endOf(runId, answers, end)).changes,
    endExhausted: (runId, answers, end) =>
      statements.endExhausted.run(endOf(runId, answers, end)).changes,
    waiting: (runId, answers, limit) =>
      statements.waiting.all({ runId, answers: asJson(answers), limit }).map((row) => ({
        ...row,
        candidates: JSON.parse(row.candidates) as RowCandidate[],
      })),
    moveOn: (runId, number, place, callId) =>
      void statements.moveOn.run({ runId, number, place, callId }),
    last,
    asked: (runId) => statements.asked.get({ runId })?.candidates ?? 0,
    counts(runId) {
      const counts = { open: last(runId), matched: 0, not_found: 0, invalid: 0, failed: 0 };
      for (const { status, rows } of statements.counts.all({ runId })) {
        counts[status] = rows;
        counts.open -= rows;
      }
      return counts;
    },
  };
}

function valuesOf({ candidates, ...row }: NewRow): SqlValue[] {
  const country = row.country ?? null;
  const cells = JSON.stringify(row.cells);
  const asked = JSON.stringify(candidates);
  const { runId, number, line, key, callId } = row;
  return [runId, number, line, key, cells, country, asked, candidates.length, callId];
}

function endOf(runId: number, answers: AnswersByCall, end: StoredEnd) {
  const isOfCompany = end.isOfCompany ? 1 : 0;
  return { ...end, isOfCompany, runId, answers: asJson(answers) };
}

function prepareStatements(db: Database) {
  // Without the hint SQLite reads all rows of the run for each call.
  const rowsOfCalls = `
    ${eachAnswered} s
    cross join row r indexed by row_of_call on r.run_id = :runId and r.call_id = s.call_id`;
  const end = `
    insert into row_outcome (
      run_id, number, status, reason, message, answer_id, match, company_id, country)
    select r.run_id, r.number, :status, :reason, coalesce(:message, a.message), a.id,
      coalesce(:match, a.match), iif(:isOfCompany, a.company_id, null),
      iif(:isOfCompany, r.country, null)
    from ${rowsOfCalls} cross join answer a on a.id = s.answer_id`;
  return {
    insert: inPortions(
      db,
      9,
      (rows) => `
        insert into row (
          run_id, number, line, key, cells, country, candidates, candidate_count, call_id)
        values ${rows}`,
    ),
    reject: db.prepare(`
      insert into row_outcome (run_id, number, status, reason, message)
      values (:runId, :number, 'invalid', :reason, :message)`),
    endWaiting: db.prepare(`${end} where true on conflict do nothing`),
    endExhausted: db.prepare(
      `${end} where r.place + 1 >= r.candidate_count on conflict do nothing`,
    ),
    waiting: db.prepare<
      { runId: number; answers: string; limit: number },
      { number: number; country: Country; candidates: string; place: number }
    >(`
      select r.number, r.country, r.candidates, r.place from ${rowsOfCalls}
      where not exists (
        select 1 from row_outcome o where o.run_id = r.run_id and o.number = r.number)
      limit :limit`),
    moveOn: db.prepare(`
      update row set place = :place, call_id = :callId
      where run_id = :runId and number = :number and place < :place`),
    last: db.prepare<{ runId: number }, { number: number | null }>(
      `select max(number) as number from row where run_id = :runId`,
    ),
    // A row has asked for every candidate up to its place.
    asked: db.prepare<{ runId: number }, { candidates: number | null }>(
      `select sum(place + 1) as candidates from row where run_id = :runId and candidate_count > 0`,
    ),
    counts: db.prepare<{ runId: number }, { status: RowStatus; rows: number }>(
      `select status, count(*) as rows from row_outcome where run_id = :runId group by status`,
    ),
  };
}
