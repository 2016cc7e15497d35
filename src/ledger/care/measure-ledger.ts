import type { Database } from 'better-sqlite3';
import { type LedgerFile, openExisting, pageBytes, sizeOf } from '../file/ledger-file.ts';
import { withTrouble } from '../file/ledger-trouble.ts';

/** What the pages of a ledger hold. */
export const parts = ['answers', 'calls', 'aliases', 'rows', 'runs', 'other', 'free'] as const;
export type Part = (typeof parts)[number];

const tablesOf: Readonly<Partial<Record<Part, readonly string[]>>> = {
  answers: ['answer', 'bundle'],
  calls: ['call'],
  aliases: ['alias', 'alias_progress'],
  rows: ['list', 'list_block', 'row', 'outcome', 'waiting'],
  runs: 'run start retention lease doubtful_call completed_call search found progress'.split(' '),
};

/** Measures a ledger, also while a run goes on. Reads every page of it. */
export function measureLedger(given: string) {
  using opened = openExisting(given);
  // One transaction, so that sizes and counts belong together.
  return withTrouble(opened.path, () => opened.db.transaction(() => measure(opened)).deferred());
}

function measure({ db, path }: LedgerFile) {
  const answers = db
    .prepare<[], { oldestAnswerAt: number | null; newestAnswerAt: number | null }>(`
      select min(fetched_at) as oldestAnswerAt, max(fetched_at) as newestAnswerAt from answer`)
    .get() ?? { oldestAnswerAt: null, newestAnswerAt: null };
  const count = (table: string) =>
    Number(db.prepare(`select count(*) from ${table}`).pluck().get());
  const jobs = db
    .prepare<
      [],
      { job: string; runs: number; pruned: number; oldestRunAt: number; newestRunAt: number }
    >(`
      select job, count(*) as runs, count(pruned_at) as pruned, min(started_at) as oldestRunAt, max(started_at) as newestRunAt
      from run group by job order by job`)
    .all();
  return {
    path,
    fileBytes: sizeOf(path),
    logBytes: sizeOf(`${path}-wal`),
    bytes: bytesByPart(db),
    counts: {
      answers: count('answer'),
      calls: count('call'),
      aliases: count('alias'),
      rows: count('row'),
      runs: count('run'),
    },
    ...answers,
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
  for (const tree of trees) {
    const part = parts.find((some) => tablesOf[some]?.includes(tree.owner)) ?? 'other';
    bytes[part] += tree.bytes;
  }
  bytes.free = pageBytes(db).free;
  return bytes;
}
