import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { backupLedger } from '../../src/engine/ledger/care/backup-ledger.ts';
import { examineLedger } from '../../src/engine/ledger/care/examine-ledger.ts';
import { mergeLedger } from '../../src/engine/ledger/care/merge-ledger.ts';
import { upgradeLedger } from '../../src/engine/ledger/care/upgrade-ledger.ts';
import { lockJob } from '../../src/engine/ledger/file/locks.ts';
import { openLedger } from '../../src/engine/ledger/open-ledger.ts';
import { canMount, mountSmallDisk } from '../faults/support/disks.ts';
import { unpackLedger } from '../faults/support/released-ledger.ts';
import { testIf } from '../support/needs.ts';
import { succeeded } from '../support/run-dossier.ts';
import { openFolder } from '../support/work-folder.ts';

const kept = join(import.meta.dirname, '../faults/ledgers/0.9.0.db.gz');
const answersOf090 = 86;

/** A folder with a ledger of 0.9.0 and the jobs that wrote it. */
function openOlder() {
  const folder = openFolder({ 'leads.csv': 'website\nlarchhaven-apps-sample.com\n' });
  const ledger = unpackLedger(kept, folder.path);
  const copies = () =>
    readdirSync(folder.path)
      .filter((name) => name.includes('.before-upgrade-'))
      .map((name) => join(folder.path, name));
  return { ...folder, ledger, copies };
}

function factsOf(path: string) {
  const db = new Database(path, { readonly: true });
  const answers = db.prepare<[], number>('select count(*) from answer').pluck().get();
  const version = Number(db.pragma('user_version', { simple: true }));
  db.close();
  return { answers, version };
}

test.each([
  'status --ledger ledger.db',
  'plan companies.yaml',
  'ledger prune --ledger ledger.db --dry-run',
  'forget acme.com.au --ledger ledger.db --dry-run',
])(
  '%s leaves a ledger of an older version alone, and names the command that upgrades it',
  async (line) => {
    using older = openOlder();
    const before = readFileSync(older.ledger);
    const { exitCode, stderr } = await older.dossier(line);
    expect(stderr).toContain(`dossier ledger upgrade --ledger ${older.ledger}`);
    expect(exitCode).toBe(74);
    expect(readFileSync(older.ledger).equals(before)).toBe(true);
    expect(older.copies()).toEqual([]);
  },
);

test('a run upgrades a ledger of an older version, keeps a whole copy and says where', async () => {
  using older = openOlder();
  const { stderr } = await succeeded(
    older.dossier('run leads.csv --url embedded --ledger ledger.db'),
  );
  const [copy = '', ...more] = older.copies();
  expect(more).toEqual([]);
  expect(stderr).toContain(`A copy of it as it was is in ${copy.slice(older.path.length + 1)}`);
  expect(factsOf(copy)).toEqual({ answers: answersOf090, version: 2 });
  expect(statSync(copy).mode).toBe(statSync(older.ledger).mode);
  expect(examineLedger(older.ledger).findings).toEqual([]);
  expect(await older.dossier('status companies --ledger ledger.db')).toMatchObject({ exitCode: 0 });
  expect(await older.dossier('check companies.yaml --url embedded')).toMatchObject({ exitCode: 0 });
});

test('ledger upgrade does it once, and check says that a run would', async () => {
  using older = openOlder();
  const checked = await older.dossier('check companies.yaml --url embedded --json');
  expect(checked).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('7 runs, of an older version'),
  });
  expect(checked.stdout).toContain('run `dossier ledger upgrade companies.yaml` first');
  const line = 'ledger upgrade companies.yaml --json';
  const first = JSON.parse((await older.dossier(line)).stdout) as object;
  expect(first).toEqual({ ledger: older.ledger, upgraded: true, copy: older.copies()[0] });
  const second = JSON.parse((await older.dossier(line)).stdout) as object;
  expect(second).toEqual({ ledger: older.ledger, upgraded: false, copy: null });
  expect(older.copies()).toHaveLength(1);
  const audit = await older.dossier('audit companies.yaml');
  expect(audit.stdout.match(/ledger upgrade/g)).toHaveLength(2);
  const missing = await older.dossier('ledger upgrade --ledger other.db');
  expect(missing).toMatchObject({ exitCode: 74 });
  expect(existsSync(join(older.path, 'other.db'))).toBe(false);
});

test('a ledger is not upgraded under a running job', async () => {
  using older = openOlder();
  const before = readFileSync(older.ledger);
  using _lock = lockJob(older.ledger, 'companies');
  const run = await older.dossier('run leads.csv --url embedded --ledger ledger.db');
  expect(run).toMatchObject({ exitCode: 75 });
  expect(run.stderr).toContain('cannot be upgraded while a command uses it');
  expect(readFileSync(older.ledger).equals(before)).toBe(true);
  expect(older.copies()).toEqual([]);
});

testIf(canMount, 'this user may not mount a small disk')(
  'a ledger is not upgraded where its copy has no room',
  async () => {
    using older = openOlder();
    using _disk = mountSmallDisk(
      older.path,
      Math.ceil((statSync(older.ledger).size / 1_024) * 1.5),
    );
    await expect(upgradeLedger(older.ledger)).rejects.toMatchObject({
      code: 'LEDGER_TROUBLE',
      message: expect.stringMatching(/was not upgraded: a copy of it needs .* free$/),
    });
    expect(factsOf(older.ledger)).toEqual({ answers: answersOf090, version: 2 });
    expect(older.copies()).toEqual([]);
  },
);

test('copies go after 30 days, with the next command that writes', async () => {
  using older = openOlder();
  await upgradeLedger(older.ledger);
  const [copy = ''] = older.copies();
  const stampOf = (days: number) =>
    new Date(Date.now() - days * 24 * 3_600_000).toISOString().replaceAll(/[-:.]/g, '');
  const other = (days: number) => `${older.ledger}.before-upgrade-${stampOf(days)}`;
  const [old, young] = [other(31), other(29)];
  for (const path of [old, young]) writeFileSync(path, '');
  await older.dossier('status --ledger ledger.db');
  expect(existsSync(old)).toBe(true);
  await older.dossier('run leads.csv --url embedded --ledger ledger.db');
  expect(older.copies()).toEqual([young, copy]);
});

test('forget removes the copies, which still have what is forgotten', async () => {
  using older = openOlder();
  await upgradeLedger(older.ledger);
  const [copy = ''] = older.copies();
  // A copy by hand is not ours to remove, and its texts are compressed.
  const byHand = join(older.path, 'by-hand.db');
  writeFileSync(byHand, readFileSync(copy));
  const line = 'forget company1-sample.com.au --ledger ledger.db --json';
  const rehearsed = JSON.parse((await older.dossier(`${line} --dry-run`)).stdout) as object;
  expect(rehearsed).toMatchObject({ removed: [copy], left: expect.arrayContaining([byHand]) });
  expect(existsSync(copy)).toBe(true);
  const done = JSON.parse((await older.dossier(line)).stdout) as object;
  expect(done).toMatchObject({ removed: [copy], left: expect.arrayContaining([byHand]) });
  expect(older.copies()).toEqual([]);
});

describe('a ledger of an older version', () => {
  test('can be backed up and merged as it is', async () => {
    using older = openOlder();
    const copy = join(older.path, 'copy.db');
    const { signal } = new AbortController();
    await backupLedger(older.ledger, copy, { isForced: false, signal, onProgress() {} });
    expect(factsOf(copy)).toEqual({ answers: answersOf090, version: 2 });
    const merged = mergeLedger(join(older.path, 'merged.db'), copy);
    expect(merged).toMatchObject({ taken: answersOf090, damaged: 0, hashes: expect.any(Number) });
    using ledger = openLedger(join(older.path, 'merged.db'));
    expect(ledger.forgotten.sets()).toHaveLength(1);
  });
});
