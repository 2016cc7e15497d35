import { readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Call } from '../../src/core/contract/call.ts';
import { DossierError } from '../../src/core/errors.ts';
import { openLedger } from '../../src/engine/ledger/open-ledger.ts';
import { answerOf, domains, type SmallWorld } from '../engine/queue/small-world.ts';
import { failure } from '../support/answers.ts';
import { manifestIn } from '../support/manifest-in.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { testJob } from '../support/test-job.ts';
import { completeTestRun, ingestTestRun, listOf } from '../support/test-run.ts';
import { companiesOf, exportOf, jobIn, runNight, tableIn, world } from './nights.ts';

test('an unchanged night stores no row again and leaves the files alone', async () => {
  using folder = temporaryFolder();
  const job = jobIn(folder.path, [...domains, 'nobody.com.au', 'no domain']);
  const first = await runNight(job, 1);
  expect(first.exported).toMatchObject({ isSame: false, unchanged: [] });
  const file = join(job.output.path, 'companies.csv');
  const { ino } = statSync(file);
  // On a file system with coarse times, a file is as young as its manifest.
  const { mtime } = statSync(join(job.output.path, 'manifest.json'));
  utimesSync(join(job.output.path, 'rejects.csv'), mtime, mtime);

  const second = await runNight(job, 2);
  expect(second.asked).toEqual([]);
  expect(second.exported.isSame).toBe(true);
  expect(second.exported.unchanged).toEqual(second.exported.files.map(({ name }) => name));
  expect(second.exported.rows).toEqual(first.exported.rows);
  expect(second.counts).toEqual({
    ...first.counts,
    calls: { ...second.counts.calls, made: 0, reused: first.counts.calls.made },
    services: { service: { made: 0, hits: 0, misses: 0, failed: 0, reused: 0 } },
  });
  expect(statSync(file).ino).toBe(ino);
  const manifest = () => manifestIn(job.output.path);
  expect(manifest().run).toBe('r2');
  const { run, insight } = second.report;
  expect(run).toBe('r2');
  const { changes, ...found } = insight ?? expect.unreachable();
  expect(found).toEqual({ ...first.report.insight, changes: undefined });
  expect(changes?.since).toBe('r1');

  // A file that somebody has changed is not trusted.
  writeFileSync(file, readFileSync(file).fill('x'));
  const third = await runNight(job, 3);
  expect(third.exported.isSame).toBe(false);
  expect(tableIn(job, 'companies')).toHaveLength(domains.length + 2);
  expect(third.exported.unchanged).not.toContain('companies.csv');
  expect(third.exported.unchanged).toContain('people.csv');
  using ledger = openLedger(job.ledger);
  expect(ledger.runs.list(job.name).map(({ listId }) => listId)).toEqual([1, 1, 1]);
  expect(ledger.outcomes.hasAny(1, 3, job.name)).toBe(0);
});

test('every run can be exported again unchanged', async () => {
  using folder = temporaryFolder();
  const lists = [
    domains.slice(0, 4),
    [...domains.slice(2, 5), 'nobody.com.au'],
    domains.slice(0, 4),
    [...domains.slice(0, 4)].reverse(),
  ];
  const written: Record<string, string>[] = [];
  const contentOf = (path: string) =>
    Object.fromEntries(
      ['companies', 'people', 'rejects'].map((table) => [
        table,
        readFileSync(join(path, `${table}.csv`), 'utf8'),
      ]),
    );
  // One run more is kept than the job says: what the oldest of these is compared with.
  const ledgerCare = { ...testJob().ledgerCare, keepRuns: lists.length - 1 };
  for (const [index, sites] of lists.entries()) {
    const job = { ...jobIn(folder.path, sites), ledgerCare };
    // The answers of the first nights expire on the last.
    await runNight(job, index === 3 ? 40 : index + 1);
    written.push(contentOf(job.output.path));
  }
  const job = jobIn(folder.path);
  for (const [index, content] of written.entries()) {
    const path = join(folder.path, `again-${index}`);
    await exportOf(job, { path, runId: index + 1 });
    expect(contentOf(path)).toEqual(content);
  }
});

test('a row with a failed call keeps its last answer, marked stale', async () => {
  using folder = temporaryFolder();
  const job = jobIn(folder.path, [...domains, 'new.com.au'].slice(-3));
  await runNight(job, 1);
  const before = tableIn(job, 'companies');

  const longer = jobIn(folder.path, [...domains, 'new.com.au', 'newer.com.au'].slice(-4));
  const down = await runNight(longer, 40, (call) =>
    call.operation === 'company' ? failure : answerOf(world, call),
  );
  expect(down.exported.rows).toMatchObject({ matched: 2, not_found: 1, failed: 1, stale: 3 });
  expect(down.counts).toMatchObject({ rows: { matched: 2, not_found: 1, failed: 1, stale: 3 } });
  const rows = tableIn(longer, 'companies');
  expect(rows.map(({ stale }) => stale)).toEqual(['true', 'true', 'true', 'false']);
  expect(rows.map(({ company_id }) => company_id)).toEqual([
    ...before.map(({ company_id }) => company_id),
    '',
  ]);
  expect(new Set(tableIn(longer, 'people').map(({ stale }) => stale))).toEqual(new Set(['true']));

  // Asked again when the service works, and beyond its time not kept.
  const up = await runNight(longer, 41);
  expect(companiesOf(up.asked)).toBe(4);
  expect(up.exported.rows).toMatchObject({ matched: 2, stale: 0, failed: 0 });
  expect(new Set(tableIn(longer, 'people').map(({ stale }) => stale))).toEqual(new Set(['false']));
  const late = await runNight(longer, 120, () => failure);
  expect(late.exported.rows).toMatchObject({ failed: 4, stale: 0 });
});

test('a row takes a newer answer that another job has paid for', async () => {
  using folder = temporaryFolder();
  const job = jobIn(folder.path);
  await runNight(job, 1);
  const companies = world.companies.toReversed();
  const renamed = companies.map((company, at) => ({ ...company, fqdn: domains[at] }));
  const output = { ...job.output, path: join(folder.path, 'other') };
  const reuse = { ...job.reuse, companiesMs: 0 };
  await runNight({ ...job, name: 'other', output, reuse }, 2, (call) =>
    answerOf({ ...world, companies: renamed }, call),
  );
  const next = await runNight(job, 3);
  expect(next.asked).toEqual([]);
  expect(tableIn(job, 'companies').map(({ company_id }) => company_id)).toEqual(
    renamed.map(({ id }) => id),
  );
});

test('people are kept over several nights on which their searches fail, until they are too old', async () => {
  using folder = temporaryFolder();
  const job = jobIn(folder.path, domains.slice(0, 2));
  await runNight(job, 1);
  const before = tableIn(job, 'people');
  expect(before.length).toBeGreaterThan(0);
  const withoutPeople = (call: Call) =>
    call.operation === 'people' ? failure : answerOf(world, call);
  for (const night of [40, 41, 42]) {
    expect(await runNight(job, night, withoutPeople)).toMatchObject({ exitCode: 3 });
    const people = tableIn(job, 'people');
    expect(people.map(({ person_id, stale }) => [person_id, stale])).toEqual(
      before.map(({ person_id }) => [person_id, 'true']),
    );
  }
  await runNight(job, 80, withoutPeople);
  expect(tableIn(job, 'people')).toEqual([]);
});

test('an export of an unfinished run shows earlier answers, and the run goes on', async () => {
  using folder = temporaryFolder();
  const job = jobIn(folder.path);
  await runNight(job, 1);
  const down = new DossierError('SERVICE_DOWN', 'too many failures');
  const stop = () => {
    throw down;
  };
  await expect(runNight(job, 40, stop)).rejects.toMatchObject({
    code: 'SERVICE_DOWN',
    message: expect.stringMatching(/The files are in \S+: 0 of 6 rows done and 6 older answers/),
  });
  const { exported } = await exportOf(job, { path: join(folder.path, 'so-far') });
  expect(exported.rows).toMatchObject({ stale: domains.length, open: 0 });
  const { asked, isResumed, counts } = await runNight(job, 40);
  expect(isResumed).toBe(true);
  expect(companiesOf(asked)).toBe(domains.length);
  expect(counts).toMatchObject({ rows: { matched: domains.length, open: 0, stale: 0 } });
  expect(tableIn(job, 'companies').map(({ stale }) => stale)).not.toContain('true');
});

test('after the first night, no night looks up more than a fifth of the list', async () => {
  using ledger = openLedger(':temporary:');
  const rows = Array.from({ length: 250 }, (_, index) => [`site-${index}.com.au`]);
  const job = testJob({
    identify: [{ column: 'website', as: 'fqdn' }],
    reuse: { ...testJob().reuse, spread: 0.2 },
  });
  const sites: SmallWorld = {
    ...world,
    // One in twenty is not known.
    companies: rows
      .filter((_, index) => index % 20 > 0)
      .map(([fqdn], number) => ({
        id: `c_${number}`,
        abn: undefined,
        slug: undefined,
        people: {},
        fqdn,
      })),
  };
  const known = new Map(sites.companies.map((company) => [company.fqdn, company]));
  const shares: number[] = [];
  for (let night = 1; night <= 40; night += 1) {
    const startedAt = Date.UTC(2026, 0, night, 2);
    const [follows] = ledger.runs.list(job.name);
    const run = await ingestTestRun(ledger, job, listOf(['website'], rows), startedAt, follows);
    const counts = await completeTestRun(
      run,
      {
        async send(call) {
          const site = call.operation === 'company' ? known.get(call.identifier.value) : undefined;
          return answerOf({ ...sites, companies: site ? [site] : [] }, call);
        },
      },
      startedAt,
    );
    ledger.runs.finish(run.run.id, startedAt);
    shares.push(counts.calls.made / rows.length);
  }
  const [first, ...later] = shares;
  expect(first).toBe(1);
  expect(Math.max(...later)).toBeLessThanOrEqual(0.2);
  // Every company is asked for again in its time.
  expect(later.slice(0, 30).reduce((sum, share) => sum + share, 0)).toBeGreaterThan(0.95);
});
