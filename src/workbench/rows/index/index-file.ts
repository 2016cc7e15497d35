import Database from 'better-sqlite3';
import type { FacetName } from '../../api/rows.ts';
import type { Entry } from './entry.ts';
import { cellKey, keyNames } from './sort-keys.ts';

/** The SQLite file of an index: what is searched and sorted by, and what the facets hold in memory. */
export interface IndexFile extends Disposable {
  /** What was noted with the last write; undefined in a new file. */
  note(): IndexNote | undefined;
  facetValues(): StoredValues[];
  blocks(): Iterable<StoredBlock>;
  /** Puts entries in the place of older ones of their rows, with values that came up for the first time. */
  put(entries: readonly Entry[], values: readonly NewValues[]): void;
  /** Stores the facets of rows, and how far the index has come. */
  save(blocks: readonly StoredBlock[], note: IndexNote): void;
  /** Numbers of the rows whose texts hold all words; there is at least one. */
  search(words: readonly string[]): number[];
  /** Numbers of the rows that have a key, in its order, and of equal keys in their own. */
  sortedBy(key: string, isDescending: boolean): number[];
  sortedByLine(line: number, isDescending: boolean): number[];
}

export interface IndexNote {
  /** Rows up to this number are in the index. */
  readonly upTo: number;
  /** Where the run stood when all its rows had been looked at; null before. */
  readonly wholeAt: string | null;
}

export interface StoredValues {
  readonly facet: FacetName;
  /** JSON */
  readonly value: string;
}

export interface StoredBlock {
  readonly firstNumber: number;
  readonly codes: Buffer;
  readonly states: Buffer;
}

export interface NewValues extends StoredValues {
  readonly code: number;
}

/** Grows when an entry holds anything else than before. */
const form = 3;

/** Which run an index is of. */
export interface IndexOwner {
  readonly identity: string;
  /** Columns of its list. */
  readonly width: number;
}

/**
 * Opens the index of a run, empty where the file is new, of another run or of another form. The file is
 * held by one process at a time.
 */
export function openIndexFile(path: string, { identity, width }: IndexOwner): IndexFile {
  const keyColumns = keyNames(width);
  const db = new Database(path, { timeout: 0 });
  try {
    prepare(db, JSON.stringify([form, keyColumns, identity]), keyColumns);
    return indexIn(db, keyColumns);
  } catch (error) {
    db.close();
    throw error;
  }
}

function prepare(db: Database.Database, identity: string, keyColumns: readonly string[]): void {
  db.pragma('page_size = 8192');
  db.pragma('locking_mode = exclusive');
  db.pragma('journal_mode = wal');
  // A file that a power cut has left behind the times is brought up to date, or made anew.
  db.pragma('synchronous = normal');
  db.pragma('cache_size = -4000');
  db.function('cell_key', { deterministic: true }, (text, line) =>
    cellKey(lineOf(String(text), Number(line))),
  );
  db.transaction(() => {
    db.exec(`create table if not exists about (identity text not null)`);
    const known = db.prepare(`select identity from about`).pluck().get();
    if (known !== identity) createTables(db, identity, keyColumns);
  }).exclusive();
}

/** A line of a text, from 0, without making the others. */
function lineOf(text: string, line: number): string {
  let start = 0;
  for (let passed = 0; passed < line; passed += 1) {
    const end = text.indexOf('\n', start);
    if (end === -1) return '';
    start = end + 1;
  }
  const end = text.indexOf('\n', start);
  return end === -1 ? text.slice(start) : text.slice(start, end);
}

function createTables(
  db: Database.Database,
  identity: string,
  keyColumns: readonly string[],
): void {
  db.exec(`
    drop table if exists entry;
    drop table if exists facet_value;
    drop table if exists block;
    drop table if exists note;
    delete from about;
    create table entry (
      number integer primary key,
      text text not null,
      ${keyColumns.join(', ')}
    );
    create table facet_value (
      facet text not null, code integer not null, value text not null, primary key (facet, code)
    ) without rowid;
    create table block (first_number integer primary key, codes blob not null, states blob not null);
    create table note (only_row integer primary key, up_to integer not null, whole_at text)`);
  db.prepare(`insert into about (identity) values (?)`).run(identity);
}

function indexIn(db: Database.Database, keyColumns: readonly string[]): IndexFile {
  const marks = keyColumns.map(() => '?').join(', ');
  const entry = db.prepare(`insert or replace into entry values (?, ?, ${marks})`);
  const value = db.prepare(`insert or replace into facet_value values (:facet, :code, :value)`);
  const block = db.prepare(`insert or replace into block values (:firstNumber, :codes, :states)`);
  const note = db.prepare(`insert or replace into note values (1, :upTo, :wholeAt)`);
  const search = db
    .prepare<{ longest: string; others: string }, number>(`
      select number from entry where instr(text, :longest) > 0 and not exists (
        select 1 from json_each(:others) other where instr(text, other.value) = 0)`)
    .pluck();
  const put = db.transaction((entries: readonly Entry[], values: readonly NewValues[]) => {
    for (const { number, text, keys } of entries) entry.run(number, text, ...keys);
    for (const added of values) value.run(added);
  });
  const save = db.transaction((blocks: readonly StoredBlock[], noted: IndexNote) => {
    for (const changed of blocks) block.run(changed);
    note.run(noted);
  });
  return {
    note: () =>
      db.prepare<[], IndexNote>(`select up_to as upTo, whole_at as wholeAt from note`).get(),
    facetValues: () =>
      db
        .prepare<[], StoredValues>(`select facet, value from facet_value order by facet, code`)
        .all(),
    blocks: () =>
      db
        .prepare<[], StoredBlock>(`select first_number as firstNumber, codes, states from block`)
        .iterate(),
    put: (entries, values) => put.immediate(entries, values),
    save: (blocks, noted) => save.immediate(blocks, noted),
    search(words) {
      const [longest = '', ...others] = words.toSorted((a, b) => b.length - a.length);
      return search.all({ longest, others: JSON.stringify(others) });
    },
    sortedBy(key, isDescending) {
      if (!keyColumns.includes(key)) throw new Error(`the index has no key ${key}`);
      return db
        .prepare<[], number>(`
          select number from entry where ${key} is not null
          order by ${key} ${isDescending ? 'desc' : 'asc'}, number`)
        .pluck()
        .all();
    },
    sortedByLine: (line, isDescending) =>
      db
        .prepare<{ line: number }, number>(`
          with keyed as materialized (select number, cell_key(text, :line) as key from entry)
          select number from keyed where key is not null
          order by key ${isDescending ? 'desc' : 'asc'}, number`)
        .pluck()
        .all({ line }),
    [Symbol.dispose]: () => void db.close(),
  };
}
