import { expect, test } from 'vitest';
import type { ApiProblem, RunPlan, Settings } from '../../../../src/ui/workbench/api/answers.ts';
import { openUi, openUiHere } from '../../../support/open-ui.ts';
import { sharedWorkbench } from '../support/workbench-folder.ts';

const sites = Array.from({ length: 20 }, (_, index) => `unknown${index}.com.au`);
const yaml = (name: string) =>
  `name: ${name}\ninput: { path: leads.csv }\nreuse: { companies: 0, misses: 0 }\nlimits: { rate: none, concurrency: 4 }\n`;

/** Answers wait for it. */
let gate: Promise<void> | undefined;
const workbench = sharedWorkbench({
  async react() {
    await gate;
    return undefined;
  },
  fill: ({ write }) => write('leads.csv', ['website', ...sites, ''].join('\n')),
});

function holdAnswers(): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  gate = promise;
  return resolve;
}

const post = (job: string, body: object = {}) => ({ method: 'POST', query: { job }, body });
const write = (name: string, more = '') =>
  workbench.folder.write(`${name}.yaml`, `${yaml(name)}${more}`);

test('a run of the service that its job names outlives the page and its server', async () => {
  const { folder, ui } = workbench;
  const { DOSSIER_URL: url, ...key } = folder.env;
  write('outlives', `service: { url: ${url} }\n`);
  write('unnamed', `service: { url: "\${DOSSIER_URL}" }\n`);
  const letGo = holdAnswers();
  await using other = await openUi(folder.path, key);
  const { service } = await other.answer<Settings>('settings', { query: { job: 'unnamed.yaml' } });
  expect(service.isSample).toBe(true);
  await other.ask('run', post('outlives.yaml'));
  await other.until('outlives.yaml', ({ inFlight }) => inFlight === 4);
  await other[Symbol.asyncDispose]();
  letGo();
  const { run } = await ui.until('outlives.yaml', ({ isRunning }) => !isRunning);
  expect(run).toMatchObject({ run: 'r1', state: 'finished', rows: { not_found: 20 } });
});

test('however often a run is asked to stop, it is told once, though its job file was broken since', async () => {
  const { folder, ui } = workbench;
  write('stopped');
  const letGo = holdAnswers();
  await ui.ask('run', post('stopped.yaml'));
  await ui.until('stopped.yaml', ({ inFlight }) => inFlight === 4);
  folder.write('stopped.yaml', 'name: [');
  await ui.ask('stop', post('stopped.yaml'));
  write('stopped');
  await Promise.all([ui, ui].map((one) => one.ask('stop', post('stopped.yaml'))));
  await ui.until('stopped.yaml', ({ isStopping }) => isStopping);
  letGo();
  const { ended, run } = await ui.until('stopped.yaml', (state) => state.ended !== null);
  expect(ended).toMatchObject({ exitCode: 130, reason: 'INTERRUPTED' });
  // A second signal would have left the answers on their way behind.
  const status = JSON.parse(await folder.dossier('status', 'stopped.yaml', '--json'));
  expect(status.jobs[0].runs[0].possiblyCharged).toEqual([]);
  expect(run?.state).toBe('stopped');
});

const price = 'service: { price: { company: 0.12, currency: AUD } }\n';

test.each([
  ['the amount on its button', price, { calls: 22, money: 0.6 }, 5, 'AUD 0.60 for this start'],
  [
    'a budget of no requests',
    'budget: { perStart: 0 }\n',
    { calls: 5 },
    0,
    '0 calls for this start',
  ],
])('a run spends no more than %s', async (_, more, atMost, calls, named) => {
  const { folder, ui } = workbench;
  write('agreed', more);
  const before = folder.seen.length;
  await ui.ask('run', post('agreed.yaml', { atMost }));
  const { ended } = await ui.until('agreed.yaml', (state) => state.ended !== null);
  expect(ended).toMatchObject({ exitCode: 75, reason: 'BUDGET_SPENT' });
  expect(ended?.message).toContain(named);
  expect(folder.seen.length - before).toBe(calls);
});

test('going on with a job that has changed asks for nothing, and leads to its price', async () => {
  const { folder, ui } = workbench;
  write('agreed', 'people: { seniority: [3] }\n');
  const before = folder.seen.length;
  const refused = await ui.answer<ApiProblem>('run', post('agreed.yaml', { of: 'rest' }));
  expect(refused).toMatchObject({ code: 'RUN_OUTDATED' });
  expect(folder.seen.length).toBe(before);
});

test('a run that cannot begin says why, and what to do', async () => {
  write('keyless');
  await using keyless = await openUiHere(workbench.folder.path, {
    DOSSIER_URL: 'http://127.0.0.1:1',
  });
  await keyless.ask('run', post('keyless.yaml'));
  const { ended } = await keyless.until('keyless.yaml', (state) => state.ended !== null);
  expect(ended).toMatchObject({ exitCode: 78, reason: 'KEY_MISSING' });
  expect(ended?.remedy).toMatch(/this variable in the terminal and start `dossier ui` again/);
});

test('the page accepts the list that it showed, and no other', async () => {
  const { folder, ui } = workbench;
  folder.write('shown.csv', 'website\nunknown1.com.au\n');
  folder.write('shown.yaml', "name: shown\ninput: { path: shown.csv }\nexpect: { rows: '>= 9' }\n");
  const query = { job: 'shown.yaml' };
  const { accept } = await ui.answer<RunPlan>('plan', { query });
  expect((await ui.ask('run', post('shown.yaml', { accept: true }))).status).toBe(400);
  const before = folder.seen.length;
  folder.write('shown.csv', 'website\nunknown1.com.au\nunknown2.com.au\n');
  await ui.ask('run', post('shown.yaml', { accept }));
  const changed = await ui.until('shown.yaml', ({ ended }) => ended !== null);
  expect(changed.ended).toMatchObject({ exitCode: 4, reason: 'LIST_HELD' });
  expect(folder.seen.length).toBe(before);
  const now = await ui.answer<RunPlan>('plan', { query });
  await ui.ask('run', post('shown.yaml', { accept: now.accept }));
  const { run } = await ui.until('shown.yaml', (state) => state.run?.state === 'finished');
  expect(run?.rows.total).toBe(2);
});

test('a result that is held is published when its user accepts it', async () => {
  const { folder, ui } = workbench;
  write('held', "expect: { matchRate: '>= 99%' }\n");
  await expect(folder.dossier('run', 'held.yaml')).rejects.toThrow('HELD');
  const held = await ui.until('held.yaml', ({ ended }) => ended !== null);
  expect(held.ended?.exitCode).toBe(4);
  expect(held.run?.held).toHaveLength(1);
  await ui.ask('accept', post('held.yaml'));
  const accepted = await ui.until('held.yaml', ({ ended }) => ended?.exitCode === 0);
  expect(accepted.ended).toEqual({ exitCode: 0, reason: null, message: null, remedy: null });
  expect(accepted.run).toMatchObject({ state: 'finished', held: null });
});
