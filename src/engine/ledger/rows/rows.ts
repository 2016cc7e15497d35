import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Country } from '../../../core/contract/countries.ts';
import type { RowRegister } from '../../../core/names/row-register.ts';
import type { RowCandidate } from '../../../core/rules/next-candidate.ts';
import { pairs } from '../../../core/values/pairs.ts';
import type { SqlValue, Statements } from '../statements.ts';
import { checksumMatches, lastOutcome } from './outcomes.ts';

export interface ReadRow {
  readonly key: string;
  readonly cells: readonly (string | undefined)[];
  readonly country: Country | undefined;
  /** Best first. Empty if the row is rejected. */
  readonly candidates: readonly RowCandidate[];
  readonly reject?: { readonly reason: string; readonly message: string } | undefined;
  readonly register?: RowRegister | undefined;
}

const hashDigits = 32;
const numberBytes = 6;

export function rowsIn({ all, value, values, inPortions }: Statements) {
  const find = inPortions<{ position: number; id: number }>(
    '(?, ?)',
    (rows) => `
      select wanted.column1 as position, r.id
      from (values ${rows}) wanted cross join row r on r.hash = wanted.column2`,
  );
  const read = all<{ id: number; key: string; cells: string }>(`
    select r.id, r.key, r.cells from json_each(?) i cross join row r on r.id = i.value`);
  const readWhole = all<WholeRow>(`
    select r.id, r.key, r.cells, r.country, r.candidates, r.register, r.checksum, o.reason, o.message
    from json_each(:rowIds) i cross join row r on r.id = i.value
    left join outcome o on r.candidates = '[]' and ${lastOutcome} and ${checksumMatches('o')}`);
  const keysAmong = values<string>(
    `select distinct key from row where key in (select value from json_each(?))`,
  );
  const last = value<number>(`select coalesce(max(id), 0) from row`);
  const insert = inPortions(
    '(?, ?, ?, ?, ?, ?, ?, ?)',
    (rows) => `
      insert into row (id, hash, key, cells, country, candidates, register, checksum) values ${rows}`,
  );
  const findKnown = (values: readonly (readonly [Buffer, ...SqlValue[]])[]) =>
    new Map(
      find(values.map(([key], index) => [index, key])).map(({ position, id }) => [position, id]),
    );
  return {
    find(job: string, rows: readonly ReadRow[]) {
      const known = findKnown(rows.map((row) => valuesOf(job, row)));
      return rows.map((_, index) => known.get(index));
    },
    read: (rowIds: readonly number[]) =>
      read(JSON.stringify(rowIds)).map((row) => ({ ...row, cells: cellsOf(row) })),
    /** Slow: reads all rows. */
    keysAmong: (keys: readonly string[]) => new Set(keysAmong(JSON.stringify(keys))),
    /** Skips damaged rows. */
    readWhole: (runId: number, rowIds: readonly number[]) =>
      readWhole({ runId, rowIds: JSON.stringify(rowIds) }).flatMap(asReadRow),
    idsOf(job: string, rows: readonly ReadRow[]) {
      const values = rows.map((row) => valuesOf(job, row));
      const known = findKnown(values);
      let next = last() + 1;
      const added: SqlValue[][] = [];
      const ids = values.map((row, index) => {
        const id = known.get(index) ?? next++;
        if (!known.has(index)) added.push([id, ...row]);
        return id;
      });
      insert(added);
      return ids;
    },
    /**
     * For the scratch ledger of a plan, which gets one list: its keys differ, so no row is known, and
     * numbers instead of hashes fill the index in order.
     */
    add(_job: string, rows: readonly ReadRow[]) {
      const before = last();
      const ids = rows.map((_, index) => before + 1 + index);
      insert(
        pairs(rows, ids).map(([row, id]) => {
          const texts = textsOf(row);
          const inOrder = Buffer.alloc(numberBytes);
          inOrder.writeUIntBE(id, 0, numberBytes);
          return [id, inOrder, ...Object.values(texts), rowChecksum(texts)];
        }),
      );
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
  const parsed = JSON.parse(candidates) as RowCandidate[];
  const reject = reason !== null && message !== null ? { reason, message } : undefined;
  // A row without candidates was rejected. Skip it if its outcome, which says why, is missing.
  if (parsed.length === 0 && !reject) return [];
  return [
    {
      id,
      key,
      cells: cellsOf(row),
      country: (country ?? undefined) as Country | undefined,
      candidates: parsed,
      reject,
    },
  ];
}

function valuesOf(job: string, row: ReadRow) {
  const { key, reject } = row;
  const texts = textsOf(row);
  const { cells, country, candidates, register } = texts;
  // JSON has unambiguous boundaries, so different rows never have the same text.
  const text = `${JSON.stringify([job, key, country, reject])}${cells}${candidates}${register ?? ''}`;
  const digest = Buffer.from(hash('sha256', text, 'hex').slice(0, hashDigits), 'hex');
  return [digest, ...Object.values(texts), rowChecksum(texts)] as const;
}

function textsOf({ key, cells, country, candidates, register }: ReadRow): RowTexts {
  return {
    key,
    cells: JSON.stringify(cells),
    country: country ?? null,
    candidates: JSON.stringify(candidates),
    register: register ? JSON.stringify(register) : null,
  };
}

export interface RowTexts {
  readonly key: string;
  readonly cells: string;
  readonly country: string | null;
  readonly candidates: string;
  readonly register: string | null;
}

export function rowChecksum({ key, cells, country, candidates, register }: RowTexts): number {
  const text = `${key}\n${cells}\n${country}\n${candidates}`;
  return crc32(register === null ? text : `${text}\n${register}`);
}
