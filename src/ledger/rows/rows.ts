import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Country } from '../../contract/countries.ts';
import type { RowCandidate } from '../../rules/next-candidate.ts';
import type { SqlValue, Statements } from '../statements.ts';
import { isWhole, lastOutcome } from './outcomes.ts';

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

export function rowsIn({ all, value, inPortions }: Statements) {
  const find = inPortions<{ place: number; id: number }>(
    '(?, ?)',
    (rows) => `
      select asked.column1 as place, r.id
      from (values ${rows}) asked cross join row r on r.hash = asked.column2`,
  );
  const read = all<[rowIds: string], { id: number; key: string; cells: string }>(`
    select r.id, r.key, r.cells from json_each(?) i cross join row r on r.id = i.value`);
  const readWhole = all<[{ runId: number; rowIds: string }], WholeRow>(`
    select r.id, r.key, r.cells, r.country, r.candidates, r.checksum, o.reason, o.message
    from json_each(:rowIds) i cross join row r on r.id = i.value
    left join outcome o on r.candidates = '[]' and ${lastOutcome} and ${isWhole('o')}`);
  const last = value<[], number>(`select coalesce(max(id), 0) from row`);
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
