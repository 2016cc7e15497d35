import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { backupLedger } from '../../src/engine/ledger/care/backup-ledger.ts';
import { examineLedger } from '../../src/engine/ledger/care/examine-ledger.ts';
import { pruneLedger } from '../../src/engine/ledger/care/prune-ledger.ts';
import { openLedger } from '../../src/engine/ledger/open-ledger.ts';
import { question } from '../engine/ledger/care/care-ledger.ts';
import { callIdOf, hitWith, putAnswer } from '../engine/ledger/support/answers.ts';
import { filesWith } from '../support/find-value.ts';
import { testIf } from '../support/needs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { canMount, mountSmallDisk } from './support/disks.ts';
import { faultCase } from './support/fault-case.ts';
import { isLong } from './support/seed.ts';
import { openWorld, type StartOptions, type World } from './support/world.ts';

const kills = isLong ? 2 : 1;
const atStep = join(import.meta.dirname, 'support/at-step.ts');

/** Options that kill a process before one of its changes to databases and files. */
function killAt(step: number): StartOptions {
  return { nodeOptions: ['--import', atStep], env: { FAULT_STEP: String(step) } };
}

function expectWhole(path: string): void {
  expect(examineLedger(path).findings, path).toEqual([]);
}

/** A world in which the job has run twice, the second time over a shorter list and with all asked anew. */
async function worldOfNights(): Promise<World> {
  const world = await openWorld({
    rows: 20,
    people: 1,
    job: { reuse: { companies: 0, people: 0 } },
  });
  const list = join(world.folder, 'leads.csv');
  const rows = readFileSync(list, 'utf8').split('\n');
  for (const kept of [rows, rows.slice(0, 10)]) {
    writeFileSync(list, kept.join('\n'));
    await expectToEnd(world, ['run', 'job.yaml', '--accept', 'any']);
  }
  return world;
}

const prune = [
  'ledger',
  'prune',
  '--keep-runs',
  '1',
  '--older-than',
  '0s',
  '--ledger',
  'ledger.db',
];
const backup = ['ledger', 'backup', 'safe/copy.db', '--force', '--ledger', 'ledger.db'];

async function expectToEnd(world: World, command: readonly string[]): Promise<void> {
  const { by, stderr } = await world.run({ command });
  expect(by, stderr).toBe(0);
}

/** The files of the last run, made again from the ledger. */
async function expectSameExport(world: World, before: string): Promise<void> {
  await expectToEnd(world, ['export', 'job.yaml']);
  expect(filesOf(world)).toBe(before);
}

function filesOf(world: World): string {
  return readdirSync(world.output)
    .filter((name) => /^(companies|people|rejects)\./.test(name))
    .map((name) => `${name}\n${readFileSync(join(world.output, name), 'utf8')}`)
    .join('\n');
}

describe('kill -9 of dossier ledger', () => {
  faultCase(
    'backup, at seeded steps, leaves the ledger whole, and a whole backup or the one before',
    async (seed) => {
      await using world = await openWorld({ rows: 20, people: undefined });
      await expectToEnd(world, ['run', 'job.yaml']);
      const target = join(world.folder, 'safe/copy.db');
      for (let kill = 0; kill < kills; kill += 1) {
        const { by } = await world.run({ command: backup, ...killAt(1 + seed.random(36)) });
        expect(['SIGKILL', 0]).toContain(by);
        expectWhole(world.ledger);
        if (existsSync(target)) expectWhole(target);
      }
      await expectToEnd(world, backup);
      expectWhole(target);
      // What the killed ones have left is gone.
      expect(readdirSync(join(world.folder, 'safe'))).toEqual(['copy.db']);
    },
    { long: 30 },
  );

  faultCase(
    'prune, at seeded steps, leaves a ledger that exports the last run as before',
    (seed) => pruneAndKill(() => killAt(1 + seed.random(52))),
    { long: 30 },
  );

  faultCase(
    'forget, at seeded steps, leaves a whole ledger, and the next one finishes it',
    async (seed) => {
      await using world = await openWorld({ rows: 20, people: 1 });
      await expectToEnd(world, ['run', 'job.yaml']);
      const list = readFileSync(join(world.folder, 'leads.csv'), 'utf8');
      const [, value = ''] = /([a-z][\w-]*\.com\.au)/.exec(list) ?? [];
      expect(await filesWith(world.folder, value)).toContain('ledger.db');
      const forget = ['forget', value, '--job', 'job.yaml'];
      for (const most of isLong ? [40, 90, 160] : [90]) {
        const { by } = await world.run({ command: forget, ...killAt(1 + seed.random(most)) });
        expect(['SIGKILL', 0]).toContain(by);
        expectWhole(world.ledger);
      }
      await expectToEnd(world, forget);
      expect(await filesWith(world.folder, value)).toEqual(['leads.csv']);
      expectWhole(world.ledger);
    },
    { long: 30 },
  );
});

async function pruneAndKill(fault: () => StartOptions): Promise<void> {
  await using world = await worldOfNights();
  const before = filesOf(world);
  for (let kill = 0; kill < kills; kill += 1) {
    const { by, stderr } = await world.run({ command: prune, ...fault() });
    expect(['SIGKILL', 0], stderr).toContain(by);
    expectWhole(world.ledger);
  }
  await expectToEnd(world, prune);
  expectWhole(world.ledger);
  await expectSameExport(world, before);
}

const where = testIf(canMount, 'this user may not mount');
faultCase(
  'on a disk with little room, backup and prune say so, and harm nothing',
  async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'ledger.db');
    {
      using ledger = openLedger(path);
      ledger.inTransaction(() => {
        for (let number = 0; number < 1_000; number += 1) {
          const body = randomBytes(1_000);
          const fetchedAt = number < 100 ? 0 : year;
          const callId = callIdOf(ledger, question(number));
          putAnswer(ledger, callId, hitWith({ fetchedAt, body }));
        }
      });
    }
    const before = statSync(path).size;
    using disk = mountSmallDisk(folder.path, Math.ceil((1.6 * before) / 1_000));
    const copy = join(folder.path, 'copy.db');
    const options = { isForced: false, signal: new AbortController().signal, onProgress() {} };
    await expect(backupLedger(path, copy, options)).rejects.toThrow('disk is full');
    expect(readdirSync(folder.path)).not.toContain('copy.db');
    expectWhole(path);

    const prune = () =>
      pruneLedger(path, {
        keepRuns: undefined,
        olderThanMs: undefined,
        isDryRun: false,
        now: year,
      });
    expect(prune).toThrow(
      /data was deleted from .*, but the file did not shrink\. Rewriting it needs/,
    );
    expectWhole(path);
    expect(statSync(path).size).toBe(before);
    disk.grow();
    expect(prune()).toMatchObject({ answers: 0, bytesBefore: before });
    expect(statSync(path).size).toBeLessThan(before);
    expectWhole(path);
    expect(await backupLedger(path, copy, options)).toMatchObject({ answers: 900 });
  },
  { short: 0, where },
);

const year = 365 * 24 * 3_600_000;
