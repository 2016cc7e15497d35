import { statSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { type LedgerFile, openExisting } from '../file/ledger-file.ts';
import { withTrouble } from '../file/ledger-trouble.ts';

/** What the pages of a ledger hold. */
export const parts = ['answers', 'calls', 'aliases', 'rows', 'runs', 'other', 'free'] as const;
export type Part = (typeof parts)[number];

const partOfTable: Readonly<Record<string, Part>> = {
  answer: 'answers',
  bundle: 'answers',
  call: 'calls',
  alias: 'aliases',
  alias_progress: 'aliases',
  list: 'rows',
  list_block: 'rows',
  row: 'rows',
  outcome: 'rows',
  waiting: 'rows',
  run: 'runs',
  start: 'runs',
  retention: 'runs',
  open_call: 'runs',
  lease: 'runs',
  completed_call: 'runs',
  search: 'runs',
  found: 'runs',
  timeline: 'runs',
  progress: 'runs',
};

export interface LedgerSize {
  readonly path: string;
  /** Bytes of the file, and of SQLite's log beside it. */
  readonly fileBytes: number;
  readonly logBytes: number;
  readonly bytes: Readonly<Record<Part, number>>;
  readonly counts: {
    readonly answers: number;
    readonly calls: number;
    readonly aliases: number;
    readonly rows: number;
    readonly runs: number;
  };
  /** When the oldest and the newest answer came; null where there is none. */
  readonly oldestAnswerAt: number | null;
  readonly newestAnswerAt: number | null;
  /** By name. */
  readonly jobs: readonly JobSize[];
}

export interface JobSize {
  readonly job: string;
  readonly runs: number;
  /** Those of them whose rows were removed. */
  readonly pruned: number;
  readonly oldestRunAt: number;
  readonly newestRunAt: number;
}

/** Measures a ledger, also while a run goes on. Reads every page of it. */
export function measureLedger(given: string): LedgerSize {
  using opened = openExisting(given);
  // One transaction, so that sizes and counts belong together.
  return withTrouble(opened.path, () => opened.db.transaction(() => measure(opened)).deferred());
}

function measure({ db, path }: LedgerFile): LedgerSize {
  const answers = db
    .prepare<[], { count: number; oldest: number | null; newest: number | null }>(
      `select count(*) as count, min(fetched_at) as oldest, max(fetched_at) as newest from answer`,
    )
    .get() ?? { count: 0, oldest: null, newest: null };
  const count = (table: string) =>
    Number(db.prepare(`select count(*) from ${table}`).pluck().get() ?? 0);
  const jobs = db
    .prepare<[], JobSize>(`
      select job, count(*) as runs, count(pruned_at) as pruned, min(started_at) as oldestRunAt, max(started_at) as newestRunAt
      from run group by job order by job`)
    .all();
  return {
    path,
    fileBytes: sizeOf(path),
    logBytes: sizeOf(`${path}-wal`),
    bytes: bytesByPart(db),
    counts: {
      answers: answers.count,
      calls: count('call'),
      aliases: count('alias'),
      rows: count('row'),
      runs: count('run'),
    },
    oldestAnswerAt: answers.oldest,
    newestAnswerAt: answers.newest,
    jobs,
  };
}

/** An index counts with its table. */
function bytesByPart(db: Database): Record<Part, number> {
  const bytes = Object.fromEntries(parts.map((part) => [part, 0])) as Record<Part, number>;
  const trees = db
    .prepare<[], { owner: string; bytes: number }>(`
      select coalesce(s.tbl_name, d.name) as owner, sum(d.pgsize) as bytes
      from dbstat d left join sqlite_schema s on s.name = d.name
      where d.aggregate = 1 group by owner`)
    .all();
  for (const tree of trees) bytes[partOfTable[tree.owner] ?? 'other'] += tree.bytes;
  const pragma = (name: string) => Number(db.pragma(name, { simple: true }));
  bytes.free = pragma('freelist_count') * pragma('page_size');
  return bytes;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
