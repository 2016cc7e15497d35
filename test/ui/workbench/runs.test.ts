import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ApiProblem } from '../../../src/ui/workbench/api.ts';
import { type OpenUi, openUi } from '../../support/open-ui.ts';
import { runDossier } from '../../support/run-dossier.ts';
import { startDossier } from '../../support/start-dossier.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const leads = join(import.meta.dirname, '../../../fixtures/leads/leads.csv');
const embedded = { DOSSIER_URL: 'embedded' };

const folder = temporaryFolder();
let workbench: OpenUi;
beforeAll(async () => {
  for (const name of ['one', 'two', 'three']) {
    writeFileSync(join(folder.path, `${name}.csv`), readFileSync(leads));
    writeFileSync(
      join(folder.path, `${name}.yaml`),
      `name: ${name}\ninput: { path: ${name}.csv }\nlimits: { rate: 20 }\nreuse: { companies: 0, misses: 0 }\n`,
    );
  }
  workbench = await openUi(folder.path);
});
afterAll(async () => {
  await workbench[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

test('a run is stopped and goes on, and what was answered is not asked again', async () => {
  await workbench.ask('run', { method: 'POST', query: { job: 'one.yaml' } });
  const calling = await workbench.until('one.yaml', ({ run }) => (run?.calls.made ?? 0) > 5);
  expect(calling.isRunning).toBe(true);

  await workbench.ask('stop', { method: 'POST', query: { job: 'one.yaml' } });
  const stopped = await workbench.until('one.yaml', ({ ended }) => ended !== null);
  expect(stopped).toMatchObject({ isRunning: false, isStopping: false });
  expect(stopped.ended).toMatchObject({ exitCode: 130, reason: 'INTERRUPTED' });
  expect(stopped.run?.state).toBe('stopped');
  const made = stopped.run?.calls.made ?? 0;

  await workbench.ask('run', { method: 'POST', query: { job: 'one.yaml' } });
  const done = await workbench.until('one.yaml', ({ ended }) => ended !== null);
  expect(done.ended).toMatchObject({ exitCode: 0, reason: null });
  expect(done.run).toMatchObject({ run: 'r1', state: 'finished' });
  expect(done.run?.calls.made).toBeGreaterThan(made);
  expect(done.run?.rows.open).toBe(0);
});

test('a run of the terminal is seen, cannot be doubled, and can be stopped', async () => {
  const terminal = startDossier(['run', 'two.yaml'], { cwd: folder.path, env: embedded });
  await workbench.until('two.yaml', ({ run }) => (run?.calls.made ?? 0) > 0);
  const again = { method: 'POST', query: { job: 'two.yaml' } };
  const refused = await workbench.ask<ApiProblem>('run', again);
  expect(refused.body).toMatchObject({ code: 'JOB_BUSY' });
  await workbench.ask('stop', { method: 'POST', query: { job: 'two.yaml' } });
  await workbench.until('two.yaml', ({ isRunning }) => !isRunning);
  await terminal.stop('SIGCONT');
  expect(terminal.process.exitCode).toBe(130);
});

test('a run outlives the page and its server, and the terminal goes on with it', async () => {
  const other = await openUi(folder.path);
  await other.ask('run', { method: 'POST', query: { job: 'three.yaml' } });
  await other.until('three.yaml', ({ run }) => (run?.calls.made ?? 0) > 0);
  await other[Symbol.asyncDispose]();

  const watched = await workbench.until('three.yaml', ({ run }) => (run?.calls.made ?? 0) > 10);
  expect(watched.isRunning).toBe(true);
  await workbench.ask('stop', { method: 'POST', query: { job: 'three.yaml' } });
  await workbench.until('three.yaml', ({ isRunning }) => !isRunning);
  const { exitCode } = await runDossier(['run', 'three.yaml'], { cwd: folder.path, env: embedded });
  expect(exitCode).toBe(0);
  const { run } = await workbench.until('three.yaml', () => true);
  expect(run).toMatchObject({ run: 'r3', state: 'finished' });
});

test('a run that cannot begin says why, and what to do', async () => {
  const paid = await openUi(folder.path, { DOSSIER_URL: 'http://127.0.0.1:1' });
  await using _ = paid;
  writeFileSync(join(folder.path, 'paid.csv'), 'domain\nacme.com.au\n');
  await paid.ask('run', { method: 'POST', query: { job: 'paid.csv' } });
  const { ended } = await paid.until('paid.csv', (state) => state.ended !== null);
  expect(ended).toMatchObject({ exitCode: 78, reason: 'KEY_MISSING' });
  expect(ended?.remedy).toMatch(/DOSSIER_API_KEY in the terminal and start `dossier ui` again/);
});

test('a result that is held is published when its user accepts it', async () => {
  writeFileSync(
    join(folder.path, 'held.yaml'),
    "name: held\ninput: { path: one.csv }\nlimits: { rate: 500 }\nexpect: { matchRate: '>= 99%' }\n",
  );
  await workbench.ask('run', { method: 'POST', query: { job: 'held.yaml' } });
  const held = await workbench.until('held.yaml', ({ ended }) => ended !== null);
  expect(held.ended?.exitCode).toBe(4);
  expect(held.run?.held).toHaveLength(1);
  await workbench.ask('accept', { method: 'POST', query: { job: 'held.yaml' } });
  const accepted = await workbench.until('held.yaml', ({ ended }) => ended?.exitCode === 0);
  expect(accepted.ended).toEqual({ exitCode: 0, reason: null, message: null, remedy: null });
  expect(accepted.run).toMatchObject({ state: 'finished', held: null });
});
