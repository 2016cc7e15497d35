import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Database } from 'better-sqlite3';
import type { Country } from '../../contract/countries.ts';
import type { RowCandidate } from '../../rules/next-candidate.ts';
import { inPortions, type SqlValue } from '../in-portions.ts';
import { defineOutcomeChecksum, isWhole, lastOutcome } from './outcomes.ts';

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

export function rowsIn(db: Database) {
  const statements = prepareStatements(db);
  const findKnown = (values: readonly ReturnType<typeof valuesOf>[]) => {
    const found = statements.find.all(values.map(([key], place) => [place, key]));
    return new Map(found.map(({ place, id }) => [place, id]));
  };
  return {
    /** The ids of rows that the job has had before, in their order; undefined for others. */
    find(job: string, rows: readonly ReadRow[]) {
      const known = findKnown(rows.map((row) => valuesOf(job, row)));
      return rows.map((_, place) => known.get(place));
    },
    /** What the list said in rows with these ids, in any order. */
    read: (rowIds: readonly number[]) =>
      statements.read
        .all({ rowIds: JSON.stringify(rowIds) })
        .map((row) => ({ ...row, cells: JSON.parse(row.cells) as (string | null)[] })),
    /** The same as they were identified for a run; rows that have changed on the disk are left out. */
    readWhole: (runId: number, rowIds: readonly number[]) =>
      statements.readWhole
        .all({ runId, rowIds: JSON.stringify(rowIds) })
        .filter((row) => row.checksum === rowChecksum(row) && isRejectKnown(row))
        .map(asReadRow),
    /** The ids of rows, in their order; a row that the job has not had before is added. */
    idsOf(job: string, rows: readonly ReadRow[]) {
      const values = rows.map((row) => valuesOf(job, row));
      const known = findKnown(values);
      let next = (statements.last.get()?.id ?? 0) + 1;
      const added: SqlValue[][] = [];
      const ids = values.map((row, place) => {
        const id = known.get(place) ?? next++;
        if (!known.has(place)) added.push([id, ...row]);
        return id;
      });
      statements.insert.run(added);
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

/** Why a row asks for nothing is told by its outcome. */
function isRejectKnown({ candidates, reason, message }: WholeRow): boolean {
  return candidates !== '[]' || (reason !== null && message !== null);
}

function asReadRow({ id, key, cells, country, candidates, reason, message }: WholeRow) {
  const asked = JSON.parse(candidates) as RowCandidate[];
  const isRejected = asked.length === 0 && reason !== null && message !== null;
  return {
    id,
    key,
    cells: (JSON.parse(cells) as (string | null)[]).map((cell) => cell ?? undefined),
    country: (country ?? undefined) as Country | undefined,
    candidates: asked,
    ...(isRejected && { reject: { reason, message } }),
  };
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

function prepareStatements(db: Database) {
  defineOutcomeChecksum(db);
  return {
    find: inPortions<{ place: number; id: number }>(
      db,
      '(?, ?)',
      (rows) => `
        select asked.column1 as place, r.id
        from (values ${rows}) asked cross join row r on r.hash = asked.column2`,
    ),
    read: db.prepare<{ rowIds: string }, Pick<RowTexts, 'key' | 'cells'> & { id: number }>(`
      select r.id, r.key, r.cells from json_each(:rowIds) i cross join row r on r.id = i.value`),
    readWhole: db.prepare<{ runId: number; rowIds: string }, WholeRow>(`
      select r.id, r.key, r.cells, r.country, r.candidates, r.checksum, o.reason, o.message
      from json_each(:rowIds) i cross join row r on r.id = i.value
      left join outcome o on r.candidates = '[]' and ${lastOutcome} and ${isWhole('o')}`),
    last: db.prepare<[], { id: number | null }>(`select max(id) as id from row`),
    insert: inPortions(
      db,
      '(?, ?, ?, ?, ?, ?, ?)',
      (rows) => `
        insert into row (id, hash, key, cells, country, candidates, checksum) values ${rows}`,
    ),
  };
}
