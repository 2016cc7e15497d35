import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test, vi } from 'vitest';
import { openLedger } from '../../../src/engine/ledger/open-ledger.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Rare, and nothing would pay for an index of their own. */
const mayReadAll = [
  /update call set answer_id = null/,
  /delete from alias/,
  /from run where (?::job is null|kind <> 'lookup')/,
  // One line for each run of a service, once for a price.
  /from run r join progress p/,
  // One line for each run that is under way.
  /from lease (?:l cross|where run_id in)/,
  // A handful of services.
  /from service$/,
  /from pragma_data_version/,
  // Only while corrections of repeated keys are read: few people make them, and few of those.
  /select distinct key from row/,
  // A plan is drafted in a ledger of its own, which holds one list.
  /candidates <> '\[\]'/,
  /as peoplePages/,
  // The lookups of one run, and the few calls whose miss is not proven, by an index of their own.
  /with recursive (?:chain|miss)/,
  /where c\.kept_answer_id is not null/,
  // At most so many answers and searches of one run, for the price of the next.
  /limit 50000\)/,
  // The end of a table, and hardly ever a step of the clock.
  /order by id desc limit 1/,
  /clock_step/,
  // Few rows, read once by a command: the files of jobs, and whether a ledger has a real run.
  /from job_file order by path/,
  /select distinct service from run/,
  // All of them count, once for each run.
  /from (?:forgotten|forgetting)/,
];

/** Every statement of a ledger with the way in which SQLite carries it out. */
function plans(): { sql: string; steps: string[] }[] {
  const prepare = vi.spyOn(Database.prototype, 'prepare');
  using folder = temporaryFolder();
  // Only the statements of a file are all prepared when it is opened.
  using _ledger = openLedger(join(folder.path, 'ledger.db'));
  const db = prepare.mock.contexts[0] as Database.Database;
  const statements = prepare.mock.calls.map(([sql]) => sql);
  prepare.mockRestore();
  return statements
    .filter((sql) => !sql.includes('sqlite_schema'))
    .map((sql) => {
      const names = [...sql.matchAll(/:(\w+)/g)].map(([, name]) => [name, null]);
      const places = [...sql.replaceAll(/'[^']*'/g, '').matchAll(/\?/g)].map(() => null);
      const explain = db.prepare<unknown[], { detail: string }>(`explain query plan ${sql}`);
      const steps = explain.all(Object.fromEntries(names), ...places).map(({ detail }) => detail);
      return { sql, steps };
    });
}

test('no statement reads a whole table', () => {
  const all = plans();
  expect(all.length).toBeGreaterThan(30);
  const scans = all
    .filter(({ sql, steps }) => {
      const isAllowed = mayReadAll.some((pattern) => pattern.test(sql));
      return (
        !isAllowed &&
        steps.some((step) =>
          /^SCAN (?!(?:\d+ )?CONSTANT ROW|wanted|.*(?:VALUES|VIRTUAL))/.test(step),
        )
      );
    })
    .map(({ sql, steps }) => `${sql}: ${steps.join(', ')}`);
  expect(scans).toEqual([]);
});

test.each([
  ['w USING PRIMARY KEY (run_id=? AND call_id=?)', /join waiting w on/],
  [
    'waiting USING PRIMARY KEY (run_id=? AND call_id>?)',
    /from waiting\s+where run_id = :runId and call_id > :after/,
  ],
  ['o USING PRIMARY KEY (row_id=? AND run_id=?)', /select max\(e\.run_id\) from outcome e/],
  ['e USING PRIMARY KEY (row_id=? AND run_id<?)', /select max\(e\.run_id\) from outcome e/],
  ['k USING PRIMARY KEY (row_id=? AND run_id<?)', /from outcome k join run/],
  ['t USING INDEX completed_call_of_search ', /where t\.search_id = \?/],
])('SEARCH %s skips complete rows', (index, pattern) => {
  const found = plans().filter(({ sql }) => pattern.test(sql));
  expect(found.length).toBeGreaterThan(0);
  for (const { steps } of found) expect(steps.join('\n')).toContain(index);
});
