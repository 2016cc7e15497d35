import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { openLedgerToRead } from '../../../src/engine/ledger/open-ledger.ts';
import { isPublished } from '../../../src/engine/ledger/runs/runs.ts';
import type { ResolvedJob } from '../../../src/job/resolved-job.ts';
import { Manifest } from '../../../src/results/manifest.ts';
import { exportJob } from '../../../src/run/export-job.ts';
import { firstSeed, openSeed } from '../../faults/support/seed.ts';
import { cleanEnvironment } from '../../support/clean-environment.ts';
import { runDossier } from '../../support/run-dossier.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { day, noSnapshot, testJob, wholeList } from '../../support/test-job.ts';
import { type ListRow, lives, mostPoints, type NightResult, openModel } from './model.ts';
import { type NightEnd, runNight, tablesIn, timeOf } from './run-night.ts';
import { type Night, nights } from './script.ts';
import { type Asked, type Mood, type NightService, openNightService } from './service.ts';
import { openChangingWorld } from './world.ts';

const concurrency = 3;
const keepRuns = 16;

function jobIn(folder: string, url: string): ResolvedJob {
  const path = join(folder, 'leads.csv');
  writeFileSync(join(folder, 'key.txt'), 'key-of-thirty-nights');
  const basic = testJob();
  return testJob({
    service: { url, key: { from: 'file', path: join(folder, 'key.txt') } },
    list: path,
    input: { path, ...wholeList, key: ['id'] },
    identify: [{ column: 'website', as: 'fqdn' }],
    people: {
      searches: [{ seniority: '3', department: undefined, position: undefined }],
      ...{ pageSize: 20, maxPerCompany: 20 },
    },
    limits: { ...basic.limits, concurrency, attempts: 1 },
    reuse: {
      companiesMs: lives.company * day,
      missesMs: lives.miss * day,
      peopleMs: lives.people * day,
      staleOnFailureMs: lives.stale * day,
      spread: 0,
    },
    expect: [
      {
        ...{ name: 'matchRateDrop', comparison: '<=', limit: mostPoints, unit: 'percent' },
        text: `<= ${mostPoints}%`,
      },
    ],
    output: { ...basic.output, path: join(folder, 'output') },
    ledger: join(folder, 'ledger.db'),
    ledgerCare: { keepRuns, mustExist: false, ...noSnapshot },
  });
}

function writeList(path: string, list: readonly ListRow[]): void {
  const lines = list.map(({ id, website, note }) => `${id},${website},"${note}"`);
  const text = `${['id,website,note', ...lines].join('\n')}\n`;
  // A list that nobody has touched keeps its time.
  if (!existsSync(path) || readFileSync(path, 'utf8') !== text) writeFileSync(path, text);
}

test('thirty nights of lists that change and troubles of all kinds come to what they have to', async () => {
  const seed = openSeed(firstSeed());
  const label = (night: number) => `night ${night} of DOSSIER_FAULT_SEED=${seed.value}`;
  using folder = temporaryFolder();
  await using service = await openNightService();
  const world = openChangingWorld(seed);
  const model = openModel();
  const job = jobIn(folder.path, service.url);
  const output = job.output.path;
  /** What each run that ended has written, by its id. */
  const written = new Map<number, Record<string, string>>();
  let aside: string[] = [];
  let spent = 0;

  for (const [index, script] of nights.entries()) {
    const night = index + 1;
    if (night > 1) world.live();
    script.list?.(world);
    writeList(job.input.path, world.list);
    const due = model.dueCompanies(world.list, night);
    const before = tablesIn(output);

    service.begin(world.truth, moodOf(script, due));
    const tonight = {
      ...job,
      budget: { ...job.budget, perDay: script.trouble === 'budget of 5' ? 5 : 400 },
    };
    if (script.trouble === 'killed twice') await killTwice(tonight, night, service);
    const end = await runNight(tonight, night);
    const { asked } = service;
    expect(end.exitCode, `${label(night)}: ${end.message}`).toBe(script.exitCode);

    const duePeople = model.duePeople(world.list, night, asked);
    const isStopped = ![0, 3, 4].includes(end.exitCode);
    expectAsked(asked, [due, duePeople], {
      ...{ isWhole: !isStopped, label: label(night) },
      kills: script.trouble === 'killed twice' ? 2 : 0,
    });
    const result = model.end(world.list, night, { asked, isStopped });
    expect(result.exitCode ?? script.exitCode, label(night)).toBe(end.exitCode);

    // An incomplete result, or one that is held, lies beside the last good one, which stays as it was.
    const isPublished = result.end === 'published';
    const place = isPublished ? output : join(output, `held-r${end.runId}`);
    expect(end.folder, label(night)).toBe(place);
    if (!isPublished) expect(tablesIn(output), label(night)).toEqual(before);
    aside = isPublished ? [] : [...new Set([...aside, `held-r${end.runId}`])].sort();
    expect(heldIn(output), label(night)).toEqual(aside);
    expectShown(place, result, end, label(night));
    if (!isStopped) written.set(end.runId, tablesIn(place));

    // 5 because each of them may be charged, and no more.
    const charged = asked.filter(({ outcome }) => outcome !== 'refused').length;
    const total = spentIn(job.ledger);
    const mostLost = script.trouble === 'killed twice' ? 2 * concurrency : 0;
    expect(total - spent, label(night)).toBeGreaterThanOrEqual(charged);
    expect(total - spent, label(night)).toBeLessThanOrEqual(charged + mostLost);
    if (script.trouble === 'budget of 5') expect(charged, label(night)).toBe(5);
    spent = total;

    if (script.isAccepted) {
      const request = { version: '0.0.0', ownOutputs: [output], runId: undefined, accept: true };
      await exportJob(job, request);
      model.accept();
      aside = [];
      expect(heldIn(output), label(night)).toEqual([]);
      expect(tablesIn(output), label(night)).toEqual(written.get(end.runId));
    }
  }

  await expectSameAgain(job, folder.path, written);
  const check = await runDossier(['ledger', 'check', '--ledger', job.ledger]);
  expect(check.exitCode, check.stdout).toBe(0);
});

function moodOf({ trouble }: Night, due: ReadonlySet<string>): Mood {
  switch (trouble) {
    case 'down':
    case 'key revoked':
    case 'emptied':
      return trouble;
    case 'some fail':
      return { fails: new Set([...due].filter((_, index) => index % 2 === 0)) };
    default:
      return 'well';
  }
}

/** Kills a process that works on the night, after a few requests, and another that goes on with it. */
async function killTwice(job: ResolvedJob, night: number, service: NightService): Promise<void> {
  const script = join(import.meta.dirname, 'night-process.ts');
  for (const requests of [2, 5]) {
    const child = spawn(process.execPath, [script, JSON.stringify(job), String(night)], {
      env: cleanEnvironment({}),
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    const ended = once(child, 'exit');
    while (service.asked.length < requests && child.exitCode === null) await delay(2);
    child.kill('SIGKILL');
    await ended;
  }
}

/** Nothing was asked that is fresh, nothing twice, and all that a whole run needs. */
function expectAsked(
  asked: readonly Asked[],
  [companies, people]: readonly [ReadonlySet<string>, ReadonlySet<string>],
  { isWhole, kills, label }: { isWhole: boolean; kills: number; label: string },
): void {
  const calls = asked.map(({ operation, about }) => `${operation} ${about}`);
  const due = new Set([
    ...[...companies].map((domain) => `company ${domain}`),
    ...[...people].map((id) => `people ${id}`),
  ]);
  const made = new Set(calls);
  expect(
    [...made].filter((call) => !due.has(call)),
    label,
  ).toEqual([]);
  if (isWhole)
    expect(
      [...due].filter((call) => !made.has(call)),
      label,
    ).toEqual([]);
  expect(calls.length - made.size, `${label}: repeated`).toBeLessThanOrEqual(kills * concurrency);
}

function heldIn(output: string): string[] {
  return readdirSync(output)
    .filter((name) => name.startsWith('held-'))
    .sort();
}

function spentIn(path: string): number {
  using ledger = openLedgerToRead(path);
  const rows = ledger?.spend.since(0) ?? [];
  return rows.reduce((sum, { requests }) => sum + requests, 0);
}

type Cells = Record<string, string>;

function expectShown(
  folder: string,
  result: NightResult,
  { runId }: NightEnd,
  label: string,
): void {
  const tables = tablesIn(folder);
  const read = (name: string) => parse(tables[`${name}.csv`] ?? '', { columns: true }) as Cells[];
  const withTime = <Shown extends { changed: number | undefined }>({
    changed,
    ...cells
  }: Shown) => ({
    ...cells,
    changed_at: changed === undefined ? '' : new Date(timeOf(changed)).toISOString(),
  });
  const likeModel = (record: Cells, expected: object) =>
    Object.fromEntries(
      Object.entries(expected).map(([name, cell]) => [
        name,
        cell === undefined ? cell : record[name],
      ]),
    );

  const rows = result.rows.map(withTime);
  expect(
    read('companies').map((row, index) => likeModel(row, rows[index] ?? {})),
    `companies, ${label}`,
  ).toEqual(rows);
  const people = result.people.map(withTime);
  expect(
    read('people').map((person, index) => likeModel(person, people[index] ?? {})),
    `people, ${label}`,
  ).toEqual(people);
  const rejects = result.rows.filter(({ status }) => status !== 'matched' && status !== 'open');
  expect(
    read('rejects').map(({ row_key }) => row_key),
    `rejects, ${label}`,
  ).toEqual(rejects.map(({ row_key }) => row_key));
  const changes = read('changes').map(
    ({ op, row_key, person_id }) => `${op} ${row_key} ${person_id}`,
  );
  expect(changes.sort(), `changes, ${label}`).toEqual(result.changes);

  const manifest = Manifest.parse(JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')));
  expect(manifest, label).toMatchObject({
    complete: result.end !== 'stopped',
    run: `r${runId}`,
  });
  expect(manifest.held !== null, label).toBe(result.end === 'held');
}

/** Every night that the ledger still has is exported as it was written, byte for byte. */
async function expectSameAgain(
  job: ResolvedJob,
  folder: string,
  written: ReadonlyMap<number, Record<string, string>>,
): Promise<void> {
  using ledger = openLedgerToRead(job.ledger);
  const kept = (ledger?.runs.list(job.name) ?? []).filter(({ prunedAt }) => prunedAt === null);
  // One more than the job keeps: what the oldest of these is compared with.
  expect(kept.length).toBe(keepRuns + 1);
  const oldest = Math.min(...kept.filter(isPublished).map(({ id }) => id));
  for (const { id, held, state } of kept) {
    if (state !== 'finished') continue;
    const path = join(folder, `again-${id}`);
    const again = { ...job, output: { ...job.output, path } };
    await exportJob(again, { version: '0.0.0', ownOutputs: [job.output.path], runId: id });
    const { 'changes.csv': changes, ...tables } = tablesIn(held ? join(path, `held-r${id}`) : path);
    const { 'changes.csv': changesThen, ...then } = written.get(id) ?? {};
    expect(tables, `r${id}`).toEqual(then);
    // That one has nothing left to be compared with.
    if (id > oldest) expect(changes, `changes of r${id}`).toEqual(changesThen);
  }
}
