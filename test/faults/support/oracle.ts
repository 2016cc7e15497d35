import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'vitest';
import { noCounts, totalRows } from '../../../src/core/rules/outcomes.ts';
import { checkLedger } from '../../../src/engine/ledger/care/examine-ledger.ts';
import { openLedgerToRead } from '../../../src/engine/ledger/open-ledger.ts';
import { Manifest } from '../../../src/results/manifest.ts';
import { brokenRelations } from '../../support/ledger-relations.ts';
import { jobName, type Shape } from './sample-job.ts';
import { type Machine, openWorld, type World } from './world.ts';

export interface Allowances {
  /** How many processes were killed, or ended by a second signal, perhaps with calls in flight. */
  readonly kills?: number;
  /** Answers that the disk or the wire lost or damaged, so that their calls were made again. */
  readonly lostAnswers?: number;
}

/**
 * The oracle of every case, for a run that has finished in spite of its faults: every row has exactly
 * one outcome, the files equal those of an untroubled run, only calls in flight at a kill were
 * repeated, and the ledger is intact.
 */
export async function expectNothingLost(world: World, allowances: Allowances = {}): Promise<void> {
  expectOneOutcomeForEachRow(world);
  expect(filesIn(world.output), 'files').toEqual(await untroubledFiles(world.shape));
  expectFilesToFitManifest(world.output);
  expectNoAnswerPaidTwice(world, allowances);
  expectSpendCounted(world, allowances);
  expectWholeLedger(world.ledger);
}

/** Every output file that a killed process has left equals the file of an untroubled run. */
export async function expectFilesWholeOrAbsent(world: World): Promise<void> {
  const files = Object.entries(filesIn(world.output));
  const visible = Object.fromEntries(files.filter(([name]) => !name.startsWith('.')));
  expect(await untroubledFiles(world.shape)).toMatchObject(visible);
  if (existsSync(join(world.output, 'manifest.json'))) expectFilesToFitManifest(world.output);
}

/** Files about the run itself, which differ between any two runs. */
const aboutTheRun = ['manifest.json', 'report.html'];

/** The tables that a run wrote, without the times of the answers. */
export function filesIn(output: string): Record<string, string> {
  if (!existsSync(output)) return {};
  // What changed is told against the run before, which an untroubled job does not have.
  const isOfResult = (name: string) => !aboutTheRun.includes(name) && !name.startsWith('changes.');
  const names = readdirSync(output).filter(isOfResult);
  return Object.fromEntries(
    names
      .sort()
      .map((name) => [
        name,
        readFileSync(join(output, name), 'utf8').replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'then'),
      ]),
  );
}

const untroubled = new Map<string, Promise<Record<string, string>>>();

/** The files of the same job over the same list without any fault. */
export function untroubledFiles(shape: Shape): Promise<Record<string, string>> {
  const key = JSON.stringify(shape);
  const known = untroubled.get(key) ?? runUntroubled(shape);
  untroubled.set(key, known);
  return known;
}

async function runUntroubled(shape: Shape): Promise<Record<string, string>> {
  await using world = await openWorld(shape);
  const { by, stderr } = await world.run();
  expect(by, stderr).toBe(0);
  expectOneOutcomeForEachRow(world);
  const calls = world.asked().map(({ call }) => call);
  expect(calls.length, 'calls of the untroubled run').toBe(new Set(calls).size);
  return filesIn(world.output);
}

export function expectOneOutcomeForEachRow({ shape, output, ledger: path }: Machine): void {
  const numbers = Array.from({ length: shape.rows }, (_, index) => index + 1);
  if (shape.formats.includes('jsonl')) {
    const text = readFileSync(join(output, 'companies.jsonl'), 'utf8');
    const rows = text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as { row_number: number; status: string });
    expect(rows.map(({ row_number }) => row_number)).toEqual(numbers);
    const statuses = new Set(rows.map(({ status }) => status));
    expect(['matched', 'not_found', 'invalid', 'failed']).toEqual(
      expect.arrayContaining([...statuses]),
    );
  }
  using ledger = openLedgerToRead(path);
  const run = ledger?.runs.newest(jobName);
  expect(run?.state).toBe('finished');
  const counts = ledger?.progress.counts(run?.id ?? 0) ?? noCounts();
  expect(counts.rows.open, 'rows without an outcome').toBe(0);
  expect(totalRows(counts), 'rows with an outcome').toBe(shape.rows);
}

/** The files match their manifest, so all of them belong to one export. */
export function expectFilesToFitManifest(output: string): void {
  const text = readFileSync(join(output, 'manifest.json'), 'utf8');
  const { files } = Manifest.parse(JSON.parse(text));
  const found = Object.fromEntries(
    readdirSync(output)
      .filter((name) => !aboutTheRun.includes(name) && !name.startsWith('.'))
      .map((name) => [name, sha256Of(join(output, name))]),
  );
  expect(found).toEqual(Object.fromEntries(files.map(({ name, sha256 }) => [name, sha256])));
}

function sha256Of(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

/**
 * Counted by the service. From a concurrency of 32 on, a run without a rate leases up to three times
 * more calls than it may send at once, so that no slot is idle during a commit.
 */
function expectNoAnswerPaidTwice(world: World, { kills = 0, lostAnswers = 0 }: Allowances): void {
  const { concurrency } = world.shape;
  const mostInFlight = concurrency < 32 ? concurrency : concurrency * 4;
  const answers = new Map<string, number>();
  for (const { call, isTroubled, answeredAtMs } of world.asked()) {
    if (isTroubled || answeredAtMs === undefined) continue;
    answers.set(call, (answers.get(call) ?? 0) + 1);
  }
  const repeated = [...answers].filter(([, count]) => count > 1);
  const repeats = repeated.reduce((sum, [, count]) => sum + count - 1, 0);
  const allowed = kills * mostInFlight + lostAnswers;
  const listed = repeated.map(([call, count]) => `${count} times ${call}`).join('\n');
  expect(repeats, `answered calls repeated:\n${listed}`).toBeLessThanOrEqual(allowed);

  using ledger = openLedgerToRead(world.ledger);
  const possiblyCharged = (ledger?.runs.list(jobName) ?? []).flatMap(
    (run) => ledger?.calls.possiblyCharged(run.id) ?? [],
  );
  // `dossier status` lists every possibly charged call.
  expect(repeated.length).toBeLessThanOrEqual(possiblyCharged.length + lostAnswers);
}

/**
 * What the service has answered is in the count of the ledger, which is written before a request leaves.
 * More may be there: requests that were reserved at a kill, and those that brought no answer.
 */
function expectSpendCounted(world: World, { lostAnswers = 0 }: Allowances): void {
  const answered = world
    .asked()
    .filter(({ isTroubled, answeredAtMs }) => !isTroubled && answeredAtMs !== undefined);
  using ledger = openLedgerToRead(world.ledger);
  const rows = ledger?.spend.since(0) ?? [];
  const requests = rows.reduce((sum, row) => sum + row.requests, 0);
  expect(requests, 'requests in the spend table').toBeGreaterThanOrEqual(
    answered.length - lostAnswers,
  );
}

/**
 * SQLite's own check sees few flipped bits, so every answer is compared with its checksum, except
 * answers that nothing refers to. The body of a miss is never read again.
 */
export function expectWholeLedger(path: string): void {
  checkLedger(path);
  const db = new Database(path, { readonly: true });
  try {
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(brokenRelations(db)).toEqual([]);
    const answers = db.prepare<[], { id: number }>(`
      select id from answer where outcome = 'hit' and id in (
      select answer_id from call where answer_id is not null
      union
      select answer_id from completed_call
      where run_id = (select max(id) from run))`);
    using ledger = openLedgerToRead(path);
    const damaged = answers.all().filter(({ id }) => ledger?.calls.body(id) === null);
    expect(damaged, 'damaged answers').toEqual([]);
  } finally {
    db.close();
  }
}
