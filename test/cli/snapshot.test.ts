import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CheckJson } from '../../src/cli/check.ts';
import { LedgerInfoJson } from '../../src/cli/ledger.ts';
import { StatusJson } from '../../src/facts/status.ts';
import { accessDenied, startObjectStore, type TestObjectStore } from '../support/object-store.ts';
import { runDossier, succeeded } from '../support/run-dossier.ts';
import { openSmallService, type SmallService } from '../support/small-service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let store: TestObjectStore;
let service: SmallService;
const folder = temporaryFolder();

beforeAll(async () => {
  store = await startObjectStore();
  service = await openSmallService();
});

afterAll(async () => {
  await store[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

/** A machine with an empty disk and the job. */
function machine(name: string, more = '') {
  const cwd = join(folder.path, name);
  mkdirSync(cwd);
  writeFileSync(join(cwd, 'leads.csv'), 'website\nacme.com.au\n');
  const ledger = `{ path: ledger.db, snapshot: "s3://${store.bucket}/leads/ledger.db.zst"${more} }`;
  writeFileSync(
    join(cwd, 'job.yaml'),
    `name: leads\ninput: { path: leads.csv }\nledger: ${ledger}\n`,
  );
  const env = { ...store.env, ...service.env };
  const dossier = (line: string) => runDossier(line.split(' '), { cwd, env });
  return { cwd, dossier };
}

test('every command finds the ledger of a job in its store, and shows its state', async () => {
  const { dossier } = machine('first');
  await succeeded(dossier('run job.yaml'));
  const status = StatusJson.parse(JSON.parse((await dossier('status job.yaml --json')).stdout));
  expect(status.snapshot).toMatchObject({ here: 'current', answers: 1, callsAtRisk: 0 });
  const checked = CheckJson.parse(JSON.parse((await dossier('check job.yaml --json')).stdout));
  expect(checked.checks.find(({ part }) => part === 'snapshot')).toMatchObject({ state: 'ok' });

  // A second machine has nothing but the job.
  const second = machine('second', ', mustExist: true');
  const plan = await second.dossier('plan job.yaml --json');
  expect(JSON.parse(plan.stdout).calls.most).toBe(0);
  const status2 = await second.dossier('status job.yaml');
  expect(status2.stdout).toMatch(/Snapshot of .+ UTC, 1 answer:\ss3:\/\//);
  expect(status2.stdout).toContain('There is no ledger on this machine');
  expect(status2.stdout).toMatch(/r1 +finished/);
  const info = await second.dossier('ledger info --job job.yaml --json');
  expect(LedgerInfoJson.parse(JSON.parse(info.stdout))).toMatchObject({
    answers: 1,
    snapshot: { here: 'missing' },
  });
  for (const command of ['spend', 'changes', 'ledger check', 'ledger backup b.db']) {
    await succeeded(second.dossier(`${command} job.yaml`));
  }
  // All of them have read temporary copies.
  expect(existsSync(join(second.cwd, 'ledger.db'))).toBe(false);
  const exported = await succeeded(second.dossier('export job.yaml --json'));
  expect(exported.stderr).toContain('Restored the snapshot of');
  const looked = await second.dossier('lookup acme.com.au --job job.yaml');
  expect(looked.stdout).toContain('no call was made');
});

test('--ledger with another file is only read, and leaves the snapshot alone', async () => {
  const { cwd, dossier } = machine('other');
  const backup = join(cwd, 'backup.db');
  await succeeded(dossier('ledger backup backup.db job.yaml'));
  for (const command of ['run job.yaml', 'plan job.yaml', 'lookup a.com --job job.yaml']) {
    const refused = await dossier(`${command} --ledger backup.db`);
    expect(refused.exitCode, refused.stderr).toBe(64);
    expect(refused.stderr).toContain(`--ledger names ${backup}, but leads stores its ledger`);
  }
  for (const command of ['status job.yaml', 'export job.yaml --output look']) {
    const looked = await succeeded(dossier(`${command} --ledger backup.db`));
    expect(looked.stderr).toMatch(
      /--ledger names a different ledger; the one at .* is not used\.\n/,
    );
  }
  // --ledger with the job's own ledger changes nothing.
  const own = await dossier('status job.yaml --ledger ledger.db --json');
  expect(JSON.parse(own.stdout).snapshot).toMatchObject({ here: 'missing' });
});

test('an unreachable store is part of the status, and fails a check', async () => {
  const { dossier } = machine('third');
  store.misbehave = () => accessDenied;
  try {
    const status = await dossier('status job.yaml');
    expect(status).toMatchObject({ exitCode: 0 });
    expect(status.stdout).toContain('Snapshot unknown.');
    const checked = await dossier('check job.yaml --json');
    const { checks } = CheckJson.parse(JSON.parse(checked.stdout));
    expect(checks.find(({ part }) => part === 'snapshot')).toMatchObject({
      state: 'failed',
      code: 'STORE_REFUSED',
    });
  } finally {
    store.misbehave = () => undefined;
  }
});
