import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'vitest';
import { checkLedger } from '../../../src/ledger/file/check-ledger.ts';
import { openLedgerToRead } from '../../../src/ledger/open-ledger.ts';
import { Manifest } from '../../../src/sinks/manifest.ts';
import { jobName, type Shape } from './sample-job.ts';
import { openWorld, type World } from './world.ts';

export interface Allowances {
  /** How many processes were killed, or left at a second signal, with calls perhaps in flight. */
  readonly kills?: number;
  /** Answers that the disk or the wire has lost or damaged, so that they had to be asked for again. */
  readonly lostAnswers?: number;
}

/**
 * The one judge of every case, asked when the trouble is over and the run has ended well: every row
 * has exactly one outcome, the files are those of the untroubled run, no answered call was repeated
 * but those in flight at a kill, and the ledger is whole.
 */
export async function expectNothingLost(world: World, allowances: Allowances = {}): Promise<void> {
  expectOneOutcomeForEachRow(world);
  expect(filesIn(world.output), 'files').toEqual(await untroubledFiles(world.shape));
  expectFilesToFitManifest(world.output);
  expectNoAnswerPaidTwice(world, allowances);
  expectWholeLedger(world.ledger);
}

/** Whatever a killed process has left under its own name is what an untroubled run writes. */
export async function expectFilesWholeOrAbsent(world: World): Promise<void> {
  const files = Object.entries(filesIn(world.output));
  const visible = Object.fromEntries(files.filter(([name]) => !name.startsWith('.')));
  expect(await untroubledFiles(world.shape)).toMatchObject(visible);
  if (existsSync(join(world.output, 'manifest.json'))) expectFilesToFitManifest(world.output);
}

/** Two runs are never told alike. */
const aboutTheRun = ['manifest.json', 'report.html'];

/** The tables that a run wrote, without the times at which answers came. */
export function filesIn(output: string): Record<string, string> {
  if (!existsSync(output)) return {};
  const names = readdirSync(output).filter((name) => !aboutTheRun.includes(name));
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

/** What the same job over the same list comes to when nothing goes wrong. */
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

function expectOneOutcomeForEachRow({ shape, output, ledger: path }: World): void {
  const numbers = Array.from({ length: shape.rows }, (_, index) => index + 1);
  if (shape.formats.includes('jsonl')) {
    const text = readFileSync(join(output, 'companies.jsonl'), 'utf8');
    const rows = text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as { row: number; status: string });
    expect(rows.map(({ row }) => row)).toEqual(numbers);
    const statuses = new Set(rows.map(({ status }) => status));
    expect(['matched', 'not_found', 'invalid', 'failed']).toEqual(
      expect.arrayContaining([...statuses]),
    );
  }
  using ledger = openLedgerToRead(path);
  const run = ledger?.runs.newest(jobName);
  expect(run?.state).toBe('finished');
  const { open, ...settled } = ledger?.rows.counts(run?.id ?? 0) ?? { open: undefined };
  expect(open, 'rows without an outcome').toBe(0);
  const total = Object.values(settled).reduce((sum, count) => sum + count, 0);
  expect(total, 'rows with an outcome').toBe(shape.rows);
}

/** A folder whose files fit their manifest is one export. */
function expectFilesToFitManifest(output: string): void {
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
 * By the service's own count. From 32 calls at once on, and without a rate, as every world is, three
 * times as many more may be marked as sent, so that no slot is idle while the disk is written.
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
  const doubtful = (ledger?.runs.list(jobName) ?? []).flatMap(
    (run) => ledger?.calls.doubtful(run.id) ?? [],
  );
  // Whatever was asked again in doubt is told by `dossier status`.
  expect(repeated.length).toBeLessThanOrEqual(doubtful.length + lostAnswers);
}

/**
 * SQLite's own check sees few flipped bits, so every answer is held against its checksum, too, apart
 * from those that nothing leads to any more. What was said of a miss is never read again.
 */
function expectWholeLedger(path: string): void {
  checkLedger(path);
  const db = new Database(path, { readonly: true });
  try {
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
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
