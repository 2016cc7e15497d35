import { crc32 } from 'node:zlib';
import type { Database } from 'better-sqlite3';
import type { WaitingRow } from '../../../core/rules/next-candidate.ts';
import type { Match, RowStatus } from '../../../core/rules/outcomes.ts';
import type { RowOutcome } from '../../../core/rules/row-outcome.ts';
import type { KnownAnswer } from '../calls/answers.ts';
import { publishedRun } from '../runs/runs.ts';
import type { SqlValue, Statements } from '../statements.ts';
import { waitingRowsIn } from './waiting-rows.ts';

export interface NewOutcome extends Omit<RowOutcome, 'next'> {
  readonly rowId: number;
  readonly answerId: number | null;
  readonly callId: number | null;
  readonly candidateIndex: number | null;
  readonly isStale: 0 | 1;
}

export function outcomeOf(
  { rowId, callId, candidateIndex }: Pick<WaitingRow, 'rowId' | 'callId' | 'candidateIndex'>,
  answer: KnownAnswer,
  { status, reason, message, match }: RowOutcome,
  isStale: 0 | 1 = 0,
): NewOutcome {
  return {
    rowId,
    callId,
    candidateIndex,
    status,
    reason,
    message: message ?? answer.message,
    match: match ?? answer.match,
    answerId: answer.id,
    isStale,
  };
}

export interface StoredOutcome extends NewOutcome {
  readonly runId: number;
  readonly status: RowStatus;
  readonly match: Match | null;
  readonly changedRun: number | null;
  readonly outcomeChecksum: number;
}

export interface KnownOutcome extends StoredOutcome {
  readonly text: string | null;
  readonly serviceId: number | null;
}

export function outcomesIn(statements: Statements) {
  const { db, change, value, all, inPortions } = statements;
  defineOutcomeChecksum(db);
  const put = inPortions(
    `(${columns.map(() => '?').join(', ')}, ?)`,
    (rows) => `insert or replace into outcome (${columns.join(', ')}, checksum) values ${rows}`,
  );
  const upTo = all<KnownOutcome>(`
    select ${outcomeColumns}, c.text, c.service_id as serviceId
    from (select value as id from json_each(:rowIds)) r
    cross join outcome o on ${lastOutcome}
    left join call c on c.id = o.call_id`);
  return {
    ...waitingRowsIn(statements),
    /** Rows that wait for a call keep waiting until `leave`. */
    put: (runId: number, outcomes: readonly NewOutcome[]) =>
      put(
        outcomes.map((outcome) => {
          const values = outcomeValues(outcome, runId, null);
          values.push(outcomeChecksum(values));
          return values;
        }),
      ),
    /** Skips damaged outcomes. */
    upTo: (runId: number, rowIds: readonly number[]) =>
      upTo({ runId, rowIds: JSON.stringify(rowIds) }).filter(isIntactOutcome),
    setChangedRun: change<[{ runId: number; rowId: number; changedRun: number }]>(`
      update outcome as o set changed_run = :changedRun, checksum = ${checksumOf('o', { changed_run: ':changedRun' })}
      where row_id = :rowId and run_id = :runId`),
    hasAny: value<0 | 1, [after: number, upTo: number, job: string]>(`
      select exists (
        select 1 from run u
        where u.id > ? and u.id <= ? and u.job = ? and (
          exists (select 1 from outcome o where o.run_id = u.id)
          or exists (select 1 from search s where s.run_id = u.id)))`),
  };
}

const columns = [
  ...['row_id', 'run_id', 'status', 'reason', 'message', 'answer_id', 'match', 'call_id'],
  ...['candidate_index', 'is_stale', 'changed_run'],
];

function outcomeChecksum(values: readonly unknown[]) {
  let text = '';
  // Unlike `join`, this distinguishes null from an empty text.
  for (const value of values) text += `${value}\n`;
  return crc32(text);
}

export function isIntactOutcome(outcome: StoredOutcome): boolean {
  const { runId, changedRun, outcomeChecksum: stored } = outcome;
  return outcomeChecksum(outcomeValues(outcome, runId, changedRun)) === stored;
}

function outcomeValues(outcome: NewOutcome, runId: number, changedRun: number | null): SqlValue[] {
  return [
    outcome.rowId,
    runId,
    outcome.status,
    outcome.reason,
    outcome.message,
    outcome.answerId,
    outcome.match,
    outcome.callId,
    outcome.candidateIndex,
    outcome.isStale,
    changedRun,
  ];
}

/** Needed by every connection that uses `checksumMatches`. */
export function defineOutcomeChecksum(db: Database): void {
  const options = { deterministic: true, varargs: true };
  db.function('outcome_checksum', options, (...values: readonly unknown[]) =>
    outcomeChecksum(values),
  );
}

export function checksumMatches(outcome: string): string {
  return `${outcome}.checksum = ${checksumOf(outcome)}`;
}

export function checksumOf(outcome: string, others: Readonly<Record<string, string>> = {}): string {
  const values = columns.map((column) => others[column] ?? `${outcome}.${column}`);
  return `outcome_checksum(${values.join(', ')})`;
}

export const outcomeColumns = `
  r.id as rowId, o.run_id as runId, o.status, o.reason, o.message, o.answer_id as answerId, o.match,
  o.call_id as callId, o.candidate_index as candidateIndex, o.is_stale as isStale, o.changed_run as changedRun,
  o.checksum as outcomeChecksum`;

/** The service of outcome `o` and of its answer, because only calls to one service share answers. */
export const serviceOfCall = '(select service_id from call where id = o.call_id)';

export const lastOutcome = `
  o.row_id = r.id and o.run_id = (
    select max(e.run_id) from outcome e where e.row_id = r.id and e.run_id <= :runId)`;

export const runBeforeFailure = (rowId: string) => `
  select max(k.run_id) from outcome k join run on run.id = k.run_id
  where k.row_id = ${rowId} and k.run_id <= :runId and k.status <> 'failed'
    and ${publishedRun}`;
