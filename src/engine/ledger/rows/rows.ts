import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Database } from 'better-sqlite3';
import type { Country } from '../../../core/contract/countries.ts';
import type { RowCandidate, WaitingRow } from '../../../core/rules/next-candidate.ts';
import type { Match, RowStatus } from '../../../core/rules/outcomes.ts';
import type { RowEnd } from '../../../core/rules/row-verdict.ts';
import type { SqlValue, Statements } from '../statements.ts';

/** A row as it was read, with what it asks for. */
export interface ReadRow {
  /** Tells the row from the others of its list. */
  readonly key: string;
  readonly cells: readonly (string | undefined)[];
  readonly country: Country | undefined;
  /** What to ask for, best first; none for a row that is rejected. */
  readonly candidates: readonly RowCandidate[];
  readonly reject?: { readonly reason: string; readonly message: string } | undefined;
}

/** As a call key: half of a SHA-256. */
const hashDigits = 32;

export function rowsIn({ all, value, values, inPortions }: Statements) {
  const find = inPortions<{ place: number; id: number }>(
    '(?, ?)',
    (rows) => `
      select asked.column1 as place, r.id
      from (values ${rows}) asked cross join row r on r.hash = asked.column2`,
  );
  const read = all<{ id: number; key: string; cells: string }>(`
    select r.id, r.key, r.cells from json_each(?) i cross join row r on r.id = i.value`);
  const readWhole = all<WholeRow>(`
    select r.id, r.key, r.cells, r.country, r.candidates, r.checksum, o.reason, o.message
    from json_each(:rowIds) i cross join row r on r.id = i.value
    left join outcome o on r.candidates = '[]' and ${lastOutcome} and ${isWhole('o')}`);
  const keysAmong = values<string>(
    `select distinct key from row where key in (select value from json_each(?))`,
  );
  const last = value<number>(`select coalesce(max(id), 0) from row`);
  const insert = inPortions(
    '(?, ?, ?, ?, ?, ?, ?)',
    (rows) => `
      insert into row (id, hash, key, cells, country, candidates, checksum) values ${rows}`,
  );
  const findKnown = (values: readonly ReturnType<typeof valuesOf>[]) =>
    new Map(find(values.map(([key], place) => [place, key])).map(({ place, id }) => [place, id]));
  return {
    /** The ids of rows that the job has had before, in their order; undefined for others. */
    find(job: string, rows: readonly ReadRow[]) {
      const known = findKnown(rows.map((row) => valuesOf(job, row)));
      return rows.map((_, place) => known.get(place));
    },
    /** What the list said in rows with these ids, in any order. */
    read: (rowIds: readonly number[]) =>
      read(JSON.stringify(rowIds)).map((row) => ({ ...row, cells: cellsOf(row) })),
    /** Those of some keys that a row has in any list. Reads all rows. */
    keysAmong: (keys: readonly string[]) => new Set(keysAmong(JSON.stringify(keys))),
    /** The same as they were identified for a run; rows that have changed on the disk are left out. */
    readWhole: (runId: number, rowIds: readonly number[]) =>
      readWhole({ runId, rowIds: JSON.stringify(rowIds) }).flatMap(asReadRow),
    /** The ids of rows, in their order; a row that the job has not had before is added. */
    idsOf(job: string, rows: readonly ReadRow[]) {
      const values = rows.map((row) => valuesOf(job, row));
      const known = findKnown(values);
      let next = last() + 1;
      const added: SqlValue[][] = [];
      const ids = values.map((row, place) => {
        const id = known.get(place) ?? next++;
        if (!known.has(place)) added.push([id, ...row]);
        return id;
      });
      insert(added);
      return ids;
    },
  };
}

interface WholeRow extends RowTexts {
  readonly id: number;
  readonly checksum: number;
  readonly reason: string | null;
  readonly message: string | null;
}

function cellsOf({ cells }: Pick<RowTexts, 'cells'>): (string | undefined)[] {
  return (JSON.parse(cells) as (string | null)[]).map((cell) => cell ?? undefined);
}

function asReadRow(row: WholeRow) {
  const { id, key, country, candidates, reason, message } = row;
  if (row.checksum !== rowChecksum(row)) return [];
  const asked = JSON.parse(candidates) as RowCandidate[];
  const reject = reason !== null && message !== null ? { reason, message } : undefined;
  // Why a row asks for nothing is told by its outcome.
  if (asked.length === 0 && !reject) return [];
  return [
    {
      id,
      key,
      cells: cellsOf(row),
      country: (country ?? undefined) as Country | undefined,
      candidates: asked,
      ...(reject && { reject }),
    },
  ];
}

function valuesOf(job: string, { key, cells, candidates, reject, ...row }: ReadRow) {
  const country = row.country ?? null;
  const cellsText = JSON.stringify(cells);
  const asked = JSON.stringify(candidates);
  // Each of the texts tells where it ends.
  const text = `${JSON.stringify([job, key, country, reject])}${cellsText}${asked}`;
  const digest = Buffer.from(hash('sha256', text, 'hex').slice(0, hashDigits), 'hex');
  const checksum = rowChecksum({ key, cells: cellsText, country, candidates: asked });
  return [digest, key, cellsText, country, asked, checksum] as const;
}

/** What a row holds, as it is stored. */
export interface RowTexts {
  readonly key: string;
  readonly cells: string;
  readonly country: string | null;
  readonly candidates: string;
}

/** Tells a row that has changed on the disk, so that no file shows it. */
export function rowChecksum({ key, cells, country, candidates }: RowTexts): number {
  return crc32(`${key}\n${cells}\n${country}\n${candidates}`);
}

/** What a row comes to; all but its end is null for a row that asks for nothing. */
export interface NewOutcome extends RowEnd {
  readonly rowId: number;
  readonly answerId: number | null;
  readonly callId: number | null;
  /** Which of its candidates was answered, from 0. */
  readonly place: number | null;
  /** 1 where the answer is older than the job allows. */
  readonly isStale: 0 | 1;
}

/** What a row came to, as `outcomeColumns` reads it. */
export interface StoredOutcome extends NewOutcome {
  /** The run in which it became so. */
  readonly runId: number;
  readonly status: RowStatus;
  readonly match: Match | null;
  /** The run in which the record last became different, where that is an earlier one. */
  readonly changedRun: number | null;
  readonly outcomeChecksum: number;
}

/** What a row came to, as a later run finds it. */
export interface KnownOutcome extends StoredOutcome {
  /** Canonical text of its call. */
  readonly request: string | null;
}

export type WaitingPlace = Pick<WaitingRow, 'callId' | 'rowId'>;

export function outcomesIn({ db, run, get, all, inPortions }: Statements) {
  defineOutcomeChecksum(db);
  const wait = inPortions(
    '(?, ?, ?, ?)',
    (rows) => `
      insert into waiting (run_id, call_id, row_id, place) values ${rows} on conflict do nothing`,
  );
  const leave = inPortions(
    '(?, ?, ?)',
    (rows) => `delete from waiting where (run_id, call_id, row_id) in (values ${rows})`,
  );
  const waitingRow = `select
    w.row_id as rowId, w.call_id as callId, r.country, r.candidates, w.place`;
  const waiting = all<StoredWaiting>(`
    ${waitingRow} from json_each(?) i
    cross join waiting w on w.run_id = ? and w.call_id = i.value
    cross join row r on r.id = w.row_id limit ?`);
  const allWaiting = all<StoredWaiting>(`
    ${waitingRow} from waiting w cross join row r on r.id = w.row_id
    where w.run_id = :runId and (w.call_id, w.row_id) > (:callId, :rowId)
    order by w.call_id, w.row_id limit :limit`);
  const put = inPortions(
    `(${columns.map(() => '?').join(', ')}, ?)`,
    (rows) => `insert or replace into outcome (${columns.join(', ')}, checksum) values ${rows}`,
  );
  const upTo = all<KnownOutcome>(`
    select ${outcomeColumns}, c.request
    from (select value as id from json_each(:rowIds)) r
    cross join outcome o on ${lastOutcome}
    left join call c on c.id = o.call_id`);
  const hasAny = get<object>(`
    select 1 from run u
    where u.id > ? and u.id <= ? and u.job = ? and (
      exists (select 1 from outcome o where o.run_id = u.id)
      or exists (select 1 from search s where s.run_id = u.id))
    limit 1`);
  const asWaiting = (row: StoredWaiting): WaitingRow => ({
    ...row,
    candidates: JSON.parse(row.candidates),
  });
  return {
    wait: (runId: number, rows: readonly Pick<WaitingRow, 'callId' | 'rowId' | 'place'>[]) =>
      wait(rows.map(({ callId, rowId, place }) => [runId, callId, rowId, place])),
    /** Rows wait no more. */
    leave: (runId: number, rows: readonly WaitingPlace[]) =>
      leave(rows.map(({ callId, rowId }) => [runId, callId, rowId])),
    /** Rows that wait for the calls, `limit` at most. */
    waiting: (runId: number, callIds: readonly number[], limit: number) =>
      waiting(JSON.stringify(callIds), runId, limit).map(asWaiting),
    /** All rows that wait, after one of them, by call and row. */
    allWaiting: (runId: number, { callId, rowId }: WaitingPlace, limit: number) =>
      allWaiting({ runId, callId, rowId, limit }).map(asWaiting),
    /** Stores outcomes; a row that waits goes on to do so. */
    put: (runId: number, outcomes: readonly NewOutcome[]) =>
      put(
        outcomes.map((outcome) => {
          const values = outcomeValues(outcome, runId, null);
          values.push(outcomeChecksum(values));
          return values;
        }),
      ),
    /** What rows came to, up to a run; outcomes that have changed on the disk are left out. */
    upTo: (runId: number, rowIds: readonly number[]) =>
      upTo({ runId, rowIds: JSON.stringify(rowIds) }).filter(isWholeOutcome),
    /** Notes of an outcome of a run that the record is as it was: in which run it became so. */
    setChangedRun: run<[{ runId: number; rowId: number; changedRun: number }]>(`
      update outcome as o set changed_run = :changedRun, checksum = ${checksumOf('o', { changed_run: ':changedRun' })}
      where row_id = :rowId and run_id = :runId`),
    /** Whether anything became different in these runs: after one, and up to another. */
    hasAny: (...between: Parameters<typeof hasAny>) => hasAny(...between) !== undefined,
  };
}

interface StoredWaiting extends Omit<WaitingRow, 'candidates'> {
  readonly candidates: string;
}

/** All columns of an outcome but the checksum. */
const columns = [
  ...['row_id', 'run_id', 'status', 'reason', 'message', 'answer_id', 'match', 'call_id', 'place'],
  ...['is_stale', 'changed_run'],
];

function outcomeChecksum(values: readonly unknown[]): number {
  let text = '';
  // Null is not the empty text here, as it would be with `join`.
  for (const value of values) text += `${value}\n`;
  return crc32(text);
}

/** Whether an outcome is as it was stored. */
export function isWholeOutcome(outcome: StoredOutcome): boolean {
  const { runId, changedRun, outcomeChecksum: stored } = outcome;
  return outcomeChecksum(outcomeValues(outcome, runId, changedRun)) === stored;
}

/** The values of all columns but the checksum. */
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
    outcome.place,
    outcome.isStale,
    changedRun,
  ];
}

/** Makes the checksum a function of SQL, for the statements of a connection that ask `isWhole`. */
export function defineOutcomeChecksum(db: Database): void {
  const options = { deterministic: true, varargs: true };
  db.function('outcome_checksum', options, (...values: readonly unknown[]) =>
    outcomeChecksum(values),
  );
}

/** Whether an outcome is as it was stored, in SQL. */
export function isWhole(outcome: string): string {
  return `${outcome}.checksum = ${checksumOf(outcome)}`;
}

/** The checksum of an outcome in SQL, with other values in some columns. */
export function checksumOf(outcome: string, others: Readonly<Record<string, string>> = {}): string {
  const values = columns.map((column) => others[column] ?? `${outcome}.${column}`);
  return `outcome_checksum(${values.join(', ')})`;
}

/** The columns of an outcome `o` of a row `r` that make a `StoredOutcome`. */
export const outcomeColumns = `
  r.id as rowId, o.run_id as runId, o.status, o.reason, o.message, o.answer_id as answerId, o.match,
  o.call_id as callId, o.place, o.is_stale as isStale, o.changed_run as changedRun,
  o.checksum as outcomeChecksum`;

/** The outcome of a row `r` in run :runId: its last one up to it. */
export const lastOutcome = `
  o.row_id = r.id and o.run_id = (
    select max(e.run_id) from outcome e where e.row_id = r.id and e.run_id <= :runId)`;

/** The last published run up to :runId in which a row came to something else than a failure. */
export const runBeforeFailure = (rowId: string) => `
  select max(k.run_id) from outcome k join run u on u.id = k.run_id
  where k.row_id = ${rowId} and k.run_id <= :runId and k.status <> 'failed'
    and u.state = 'finished' and u.held is null and u.row_limit is null`;
