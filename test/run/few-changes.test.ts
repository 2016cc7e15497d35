import { readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Call } from '../../src/core/contract/call.ts';
import type { ResolvedJob } from '../../src/job/resolved-job.ts';
import { openDatabase } from '../engine/ledger/support/answers.ts';
import { createSeed } from '../faults/support/seed.ts';
import { hitOf, miss } from '../support/answers.ts';
import { manifestIn } from '../support/manifest-in.ts';
import { createPlainReporter, readReport } from '../support/plain-report.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { jobOver } from '../support/test-job.ts';
import { exportOf, runNight, tableIn } from './nights.ts';

interface Row {
  readonly name: string;
  readonly site: string;
}

const rowOf = (number: number): Row => ({ name: `Company ${number}`, site: `s${number}.com.au` });
const manyRows = () => Array.from({ length: 60 }, (_, index) => rowOf(index));

/** Sites that begin with `gone` are unknown. */
function answer(call: Call) {
  const site = call.operation === 'company' ? call.identifier.value : '';
  if (site.startsWith('gone')) return miss;
  const tagline = site.length % 2 === 0 ? `"${site}",\nwell known` : undefined;
  return hitOf({ id: `c_${site}`, fqdn: site, tagline }, `c_${site}`);
}

function jobOf(folder: string, rows: readonly Row[]): ResolvedJob {
  const job = jobOver(folder, []);
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const lines = rows.map(({ name, site }) => `${quoted(name)},${quoted(site)}`);
  writeFileSync(job.input.path, `${['name,website', ...lines].join('\n')}\n`);
  return job;
}

/** Everything that readers see, except the run and its changes. */
function resultIn(path: string) {
  const [companies, rejects] = ['companies', 'rejects'].map((table) =>
    readFileSync(join(path, `${table}.csv`), 'utf8'),
  );
  const { insight, lookups, table } = readReport(path);
  const { rows, warnings } = manifestIn(path);
  const facts = { ...insight, changes: undefined };
  return { companies, rejects, rows, warnings, lookups, table, facts };
}

test('nights with a few changes publish what an export of all rows would', async () => {
  for (let value = 1; value <= 2; value += 1) {
    const { random, pick } = createSeed(value);
    using folder = temporaryFolder();
    let rows = manyRows();
    for (let night = 1; night <= 4; night += 1) {
      const job = jobOf(folder.path, rows);
      await runNight(job, night, answer);
      const path = join(folder.path, `all-${night}`);
      const { createReport } = createPlainReporter(folder.path);
      await exportOf(job, { path, createReport });
      expect(resultIn(job.output.path), `seed ${value}, night ${night}`).toEqual(resultIn(path));
      const other = () => rowOf(100 * night + random(90));
      for (let change = random(5); change > 0; change -= 1) {
        const at = random(rows.length);
        const { name } = rows[at] ?? other();
        const changed = pick<Row[]>([
          [other()],
          [{ name: `"${name}",\nrenamed`, site: rows[at]?.site ?? '' }],
          [{ name, site: `gone${random(5)}.com.au` }],
          [{ name, site: 'no site' }],
        ]);
        rows = rows.with(at, changed[0] ?? other());
      }
      rows = pick([rows, rows.slice(0, -1), [...rows, other()], [...rows.slice(1), other()]]);
    }
  }
});

test('rows that did not change are copied from the last file, if it is as it was written', async () => {
  using folder = temporaryFolder();
  const rows = manyRows();
  const first = jobOf(folder.path, rows);
  await runNight(first, 1, answer);
  const before = tableIn(first, 'companies');
  const changeAnswers = (set: string) => {
    using db = openDatabase(first.ledger);
    const others = `(select id from call where text not like '%s30.%' and text not like '%s40.%')`;
    db.value.exec(`update answer set ${set} where call_id in ${others}`);
  };
  // No company that stays can be read from the ledger.
  changeAnswers('checksum = checksum + 1, flat_version = -flat_version');
  const second = jobOf(folder.path, rows.with(30, rowOf(300)));
  await runNight(second, 2, answer);
  const after = tableIn(second, 'companies');
  expect(after[30]).toMatchObject({ status: 'matched', company_fqdn: 's300.com.au' });
  expect(after.toSpliced(30, 1)).toEqual(before.toSpliced(30, 1));

  // Another file of the same size and time is not copied.
  changeAnswers('checksum = checksum - 1, flat_version = -flat_version');
  const file = join(second.output.path, 'companies.csv');
  const { mtime } = statSync(file);
  writeFileSync(file, readFileSync(file, 'utf8').replace('s7.com.au', 's8.com.au'));
  utimesSync(file, mtime, mtime);
  const third = jobOf(folder.path, rows.with(40, rowOf(400)));
  await runNight(third, 3, answer);
  expect(tableIn(third, 'companies')[7]).toEqual(before[7]);
});
