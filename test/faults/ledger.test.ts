import { existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { describe, expect } from 'vitest';
import { faultCase } from './support/fault-case.ts';
import { expectNothingLost } from './support/oracle.ts';
import type { Seed } from './support/seed.ts';
import { expectNoTrace, expectTrouble } from './support/trouble.ts';
import { openWorld, type World } from './support/world.ts';

const pageBytes = 4_096;

async function expectToFinish(world: World, lostAnswers: number, kills = 0): Promise<void> {
  const { by, stderr } = await world.run();
  expect(by, stderr).toBe(0);
  await expectNothingLost(world, { kills, lostAnswers });
}

/** Runs a job and ends it by a signal after some calls; SIGKILL leaves the ledger's log behind. */
async function runHalf(world: World, seed: Seed, signal: 'SIGINT' | 'SIGKILL'): Promise<void> {
  const { process: child, ended } = world.start();
  await world.untilAsked(40 + seed.random(60));
  child.kill(signal);
  await ended;
}

describe('a ledger', () => {
  for (const [name, command] of Object.entries({
    run: ['run', 'job.yaml'],
    plan: ['plan', 'job.yaml'],
    export: ['export', 'job.yaml'],
    status: ['status', '--ledger', 'ledger.db'],
    check: ['check', 'job.yaml'],
    lookup: ['lookup', 'company1-sample.com.au', '--ledger', 'ledger.db'],
  })) {
    faultCase(
      `with damaged pages is reported by dossier ${name}, or does not matter to it`,
      async (seed) => {
        await using world = await openWorld();
        await runHalf(world, seed, 'SIGINT');
        spoilPages(world.ledger, seed);
        const ended = await world.run({ command });
        expectNoTrace(ended.stderr);
        // `check` reports the damage as a finding; all other commands stop with an error.
        if (name === 'check') expect(ended.stdout).toMatch(/✗ ledger: .*\s.*(?:damaged|malformed)/);
        else if (ended.by === 74) expectTrouble(ended, 'LEDGER_DAMAGED');
        else expect([0, 3, 69, 78], `${ended.stdout}${ended.stderr}`).toContain(ended.by);
      },
      { short: 0, long: 5 },
    );
  }

  for (const damage of ['cut short', 'changed in one byte'] as const) {
    faultCase(
      `whose log was ${damage} gives what is whole of it, and asks for the rest again`,
      async (seed) => {
        await using world = await openWorld();
        await runHalf(world, seed, 'SIGKILL');
        const log = `${world.ledger}-wal`;
        expect(existsSync(log)).toBe(true);
        const at = seed.random(statSync(log).size);
        if (damage === 'cut short') truncateSync(log, at);
        else flipByte(log, at, seed);
        const { by, stderr } = await world.run();
        expectNoTrace(stderr);
        expect(by, stderr).toBe(0);
        await expectNothingLost(world, { kills: 1, lostAnswers: world.asked().length });
      },
      { short: 0, long: 10 },
    );
  }

  faultCase(
    'with an answer that changed on the disk never exports it, and fetches it again',
    async (seed) => {
      await using world = await openWorld();
      if (seed.random(2) === 0) await runHalf(world, seed, 'SIGINT');
      else await world.run();
      const damaged = flipBundle(world.ledger, seed);
      // Files that are there and whole would be left alone, and the answers not read.
      rmSync(world.output, { recursive: true, force: true });
      const { by, stderr } = await world.run();
      expectNoTrace(stderr);
      // Damage is found when the files are written, or when a call takes the answer.
      expect([0, 3], stderr).toContain(by);
      await expectToFinish(world, damaged);
    },
    { long: 10 },
  );
});

function flipByte(path: string, at: number, seed: Seed): void {
  const bytes = readFileSync(path);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << seed.random(8));
  writeFileSync(path, bytes);
}

/** Overwrites some pages with noise, but not the first, which marks the file as a database. */
function spoilPages(path: string, seed: Seed): void {
  const bytes = readFileSync(path);
  const pages = Math.floor(bytes.length / pageBytes);
  for (let spoilt = 0; spoilt < pages / 3; spoilt += 1) {
    const from = pageBytes * (1 + seed.random(pages - 1));
    for (let at = from; at < from + pageBytes; at += 1) bytes[at] = seed.random(256);
  }
  writeFileSync(path, bytes);
}

/** Flips a bit in a bundle, as a bad disk would; returns the number of answers in the bundle. */
function flipBundle(path: string, seed: Seed): number {
  const db = new Database(path);
  const bundles = db
    .prepare<[], { id: number; bytes: Buffer }>('select id, bytes from bundle')
    .all();
  const { id, bytes } = seed.pick(bundles);
  const at = seed.random(bytes.length);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << seed.random(8));
  db.prepare('update bundle set bytes = ? where id = ?').run(bytes, id);
  const answers = db
    .prepare<[number], { count: number }>(
      'select count(*) as count from answer where bundle_id = ?',
    )
    .get(id);
  db.close();
  return answers?.count ?? 0;
}
