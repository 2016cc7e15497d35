import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { DossierError } from '../../src/core/errors.ts';
import { forgetInLedger } from '../../src/engine/ledger/care/forget-ledger.ts';
import { openForMaintenance } from '../../src/engine/ledger/file/ledger-file.ts';
import { openLedger } from '../../src/engine/ledger/open-ledger.ts';
import type { ResolvedJob } from '../../src/job/resolved-job.ts';
import { Expect } from '../../src/job/schema/output-fields.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { planJob } from '../../src/run/plan-job.ts';
import { runJob } from '../../src/run/run-job.ts';
import type { RunObserver } from '../../src/run/run-parts.ts';
import { abns, answerOf, domains } from '../engine/queue/small-world.ts';
import { filesWith } from '../support/find-value.ts';
import { answeredBy, plainParts } from '../support/run-parts.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { day } from '../support/test-job.ts';
import {
  companiesOf,
  exportOf,
  jobIn,
  lookUpNight,
  world as plainWorld,
  runNight,
  tableIn,
} from './nights.ts';

/** Each company has an ABN, by which no row asks. */
const world = {
  ...plainWorld,
  companies: plainWorld.companies.map((company, at) => ({ ...company, abn: abns[at] })),
};
const night = (job: ResolvedJob, number: number) =>
  runNight(job, number, (call) => answerOf(world, call));

function suppressing(job: ResolvedJob, ...lines: string[]): ResolvedJob {
  const path = join(job.ledger, '..', 'do-not-contact.csv');
  writeFileSync(path, lines.join('\n'));
  return { ...job, suppress: [path] };
}

/** All that a job has published, as one text. */
const published = (job: ResolvedJob) =>
  ['companies', 'people', 'changes', 'rejects']
    .map((table) => readFileSync(join(job.output.path, `${table}.csv`), 'utf8'))
    .join('\n');
const statuses = (job: ResolvedJob) => tableIn(job, 'companies').map(({ status }) => status);

test('suppressed rows are not looked up, and suppressed companies and people are in no file', async () => {
  using folder = temporaryFolder();
  const job = suppressing(
    jobIn(folder.path),
    'what,person_id',
    'https://www.D0.com.au/about,',
    `${abns[1]},`,
    ',c_2 3 0',
  );
  const plan = await planJob(job, { clock: systemClock });
  expect(plan.rows).toMatchObject({ suppressed: 1, open: 5 });

  const { asked, counts, exported } = await night(job, 1);
  const asks = JSON.stringify(asked);
  expect(companiesOf(asked)).toBe(5);
  expect(asks).not.toContain('d0.com.au');
  // Company 1 was paid for under its domain; nobody searches its people.
  expect(asks).toContain('d1.com.au');
  expect(asks).not.toContain('c_1');
  expect(counts.rows).toMatchObject({ matched: 4, suppressed: 2 });
  expect(exported.rows).toMatchObject({ total: 6, matched: 4, suppressed: 2 });
  const [first, second] = tableIn(job, 'companies');
  expect(first).toMatchObject({ status: 'suppressed', input_website: 'd0.com.au', identifier: '' });
  expect(second).toMatchObject({
    status: 'suppressed',
    input_website: 'd1.com.au',
    company_id: '',
  });
  expect(tableIn(job, 'people').map(({ person_id }) => person_id)).not.toContain('c_2 3 0');
  expect(exported.people).toBe(7);
  expect(published(job)).not.toMatch(/c_0|c_1\b|"c_2 3 0"/);
  expect(tableIn(job, 'rejects')).toEqual([]);
});

test('a company that is suppressed after it was paid for is lost without its fields, and comes back without a call', async () => {
  using folder = temporaryFolder();
  const job = jobIn(folder.path);
  await night(job, 1);
  expect(published(job)).toContain('c_0');
  const before = tableIn(job, 'companies');

  const limited = suppressing(job, 'd0.com.au', String(abns[1]));
  const second = await night(limited, 2);
  expect(second.asked).toEqual([]);
  expect(statuses(job).slice(0, 3)).toEqual(['suppressed', 'suppressed', 'matched']);
  expect(tableIn(job, 'changes')).toMatchObject(
    ['d0', 'd1'].map(() => ({
      op: 'company_lost',
      company_id: '',
      before: '{"status":"matched","reason":null}',
      after: '{"status":"suppressed","reason":"suppressed"}',
    })),
  );
  expect(published(job)).not.toMatch(/c_0|c_1\b/);
  expect(JSON.stringify(second.report)).not.toMatch(/c_0|c_1\b/);
  const times = tableIn(job, 'companies').map(({ changed_at }) => changed_at);
  expect(times.map((time, at) => time === before[at]?.changed_at)).toEqual([
    false,
    false,
    true,
    true,
    true,
    true,
  ]);

  // The same list again is the same result, and an old run shows no more than a new one.
  const third = await night(limited, 3);
  expect(third.exported.unchanged).toContain('companies.csv');
  await exportOf(limited, { runId: 1 });
  expect(published(job)).not.toMatch(/c_0|c_1\b/);

  const fourth = await night(job, 4);
  expect(fourth.asked).toEqual([]);
  expect(fourth.exported.changes).toMatchObject({ company_found: 2, company_lost: 0 });
  expect(tableIn(job, 'people')).toHaveLength(12);
});

test('a run stores nothing that was forgotten, even if the service sends it', async () => {
  using folder = temporaryFolder();
  const job = jobIn(folder.path);
  const forgotten = [`abn ${abns[1]}`, 'person c_2 3 0'];
  {
    using ledger = openLedger(job.ledger);
    ledger.inTransaction(() => forgotten.map((key) => ledger.forgotten.add(key, key)));
  }
  const { counts } = await night(job, 1);
  expect(counts.rows).toMatchObject({ matched: 5, not_found: 1 });
  expect(tableIn(job, 'people')).toHaveLength(9);
  for (const value of ['"c_1"', String(abns[1]), 'c_2 3 0']) {
    expect(await filesWith(folder.path, value), value).toEqual([]);
  }
});

test('a run says that a forget before it was not finished', async () => {
  using folder = temporaryFolder();
  const job = jobIn(folder.path);
  await night(job, 1);
  {
    using file = openForMaintenance(job.ledger, true);
    forgetInLedger(file, ['domain d0.com.au'], []);
  }
  const notes: string[] = [];
  const onStart: RunObserver['onStart'] = (_run, _isResumed, _counts, start) =>
    void notes.push(...start.notes);
  const observer = { ...plainParts.observer, onStart };
  await runJob(
    job,
    answeredBy((call) => answerOf(world, call), { observer }),
  );
  expect(notes.join()).toContain('Run the same forget again.');
});

test('suppressing most of a list holds no result', async () => {
  using folder = temporaryFolder();
  const expectations = [
    Expect.shape.matchRateDrop.unwrap().parse('<= 5%'),
    Expect.shape.matchRate.unwrap().parse('>= 90%'),
  ];
  const job = { ...jobIn(folder.path), expect: expectations };
  await night(job, 1);
  const { held, counts } = await night(suppressing(job, ...domains.slice(1)), 2);
  expect(held).toBeNull();
  expect(counts.rows).toMatchObject({ matched: 1, suppressed: 5 });
});

test('a run that was stopped looks up nothing that was suppressed since', async () => {
  using folder = temporaryFolder();
  const job = { ...jobIn(folder.path), limits: { ...jobIn(folder.path).limits, concurrency: 1 } };
  const stopped = runNight(job, 1, (call) => {
    if (JSON.stringify(call).includes(String(domains[3]))) {
      throw new DossierError('INTERRUPTED', 'enough');
    }
    return answerOf(world, call);
  });
  await expect(stopped).rejects.toThrow('enough');
  const { asked, counts } = await night(suppressing(job, String(domains[4])), 1);
  expect(JSON.stringify(asked)).not.toContain(domains[4]);
  expect(JSON.stringify(asked)).not.toContain(domains[0]);
  expect(counts.rows).toMatchObject({ matched: 5, suppressed: 1 });
});

test.each(['', 'name\nAcme Pty Ltd', 'domain\n"d0.com.au'])(
  'a suppression list that holds %j stops a run before its first call',
  async (text) => {
    using folder = temporaryFolder();
    const job = suppressing(jobIn(folder.path), text);
    const code = 'SUPPRESS_UNREADABLE';
    await expect(night(job, 1)).rejects.toMatchObject({ code });
    await expect(exportOf(job, { runId: 1 })).rejects.toMatchObject({
      code,
    });
  },
);

test('answers beyond `retain` are in no result, and the next run looks them up again', async () => {
  using folder = temporaryFolder();
  const job = { ...jobIn(folder.path), retain: { companiesMs: 30 * day, peopleMs: 10 * day } };
  await night(job, 1);
  expect(tableIn(job, 'people')).toHaveLength(12);
  // Lookups keep nothing from expiring.
  for (const domain of domains) await lookUpNight(job, 1, domain);

  // The clock of an export is that of the machine, months later.
  await exportOf(job, { runId: 1 });
  expect(tableIn(job, 'companies').map(({ reason }) => reason)).toEqual(
    domains.map(() => 'expired'),
  );
  expect(published(job)).not.toContain('c_0');

  const { retain, reuse } = job;
  const capped = { ...reuse, companiesMs: retain.companiesMs, peopleMs: retain.peopleMs };
  const later = await night({ ...job, reuse: capped }, 20);
  expect(companiesOf(later.asked)).toBe(0);
  expect(later.asked).toHaveLength(6);
  expect(tableIn(job, 'people')).toHaveLength(12);
  // The people of the first night went with this run; companies may stay for ten days more.
  const answersIn = () => {
    const ledger = new Database(job.ledger, { readonly: true });
    const answers = ledger.prepare(`select count(*) from answer`).pluck().get();
    ledger.close();
    return answers;
  };
  expect(answersIn()).toBe(12);
  await night({ ...job, reuse: capped }, 29);
  expect(answersIn()).toBe(12);
});

test.each([
  [10, 3],
  [3, 10],
])(
  'with companies kept for %i days and people for %i, nobody joins or leaves who was there',
  async (companies, people) => {
    using folder = temporaryFolder();
    const retain = { companiesMs: companies * day, peopleMs: people * day };
    const changes: unknown[] = [];
    // Reuse is never longer than retain, but answers may be erased before they expire.
    for (const reusedDays of [2, 30, 30, 30, 5, 30, 30]) {
      const plain = jobIn(folder.path);
      const companiesMs = Math.min(reusedDays * day, retain.companiesMs);
      const peopleMs = Math.min(reusedDays * day, retain.peopleMs);
      const reuse = { ...plain.reuse, companiesMs, peopleMs, staleOnFailureMs: companiesMs };
      const job = { ...plain, reuse, retain };
      const at = 1 + changes.length * 4;
      await night(job, at);
      changes.push(tableIn(job, 'changes').filter(({ op }) => op !== 'row_added'));
      expect(tableIn(job, 'people')).toHaveLength(12);
    }
    expect(changes).toEqual(changes.map(() => []));
  },
);
