import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ApiProblem, Settings } from '../../../src/ui/workbench/api.ts';
import { type RunningWorkbench, startWorkbench } from '../../support/start-workbench.ts';
import { openFolder, type WorkbenchFolder } from './support/workbench-folder.ts';

/** Each answer takes as long as a stop has to wait for it. */
const latencyMs = 400;
const rows = Array.from({ length: 40 }, (_, index) => `s${index}.com.au`);
const yaml = (name: string) =>
  `name: ${name}\ninput: { path: leads.csv }\nreuse: { companies: 0, misses: 0 }\nlimits: { rate: 50, concurrency: 4 }\n`;

let folder: WorkbenchFolder;
let workbench: RunningWorkbench;
beforeAll(async () => {
  folder = await openFolder(async () => {
    await sleep(latencyMs);
    return { status: 404, body: '{}' };
  });
  folder.write('leads.csv', ['website', ...rows, ''].join('\n'));
  for (const name of ['stopped', 'agreed', 'changed']) folder.write(`${name}.yaml`, yaml(name));
  workbench = await startWorkbench(folder.path, folder.env);
});
afterAll(async () => {
  await workbench[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const post = (job: string, body: object = {}) => ({ method: 'POST', query: { job }, body });

test('however often and by whomever a run is asked to stop, it is told once', async () => {
  await using other = await startWorkbench(folder.path, folder.env);
  await workbench.ask('run', post('stopped.yaml'));
  await workbench.until('stopped.yaml', ({ inFlight, run }) => inFlight > 0 && run !== null);
  const stops = [workbench, other, workbench, other].map((one) =>
    one.ask('stop', post('stopped.yaml')),
  );
  await Promise.all(stops);
  await other.until('stopped.yaml', ({ isStopping, isRunning }) => isStopping || !isRunning);
  const { ended } = await workbench.until('stopped.yaml', (state) => state.ended !== null);
  expect(ended).toMatchObject({ exitCode: 130, reason: 'INTERRUPTED' });
  // A second signal would have left the answers on their way behind.
  const status = JSON.parse(await folder.dossier('status', 'stopped.yaml', '--json'));
  expect(status.jobs[0].runs[0].possiblyCharged).toEqual([]);
});

test('a run stops at the price that was agreed to, though its list has more to ask for', async () => {
  const before = folder.seen.length;
  await workbench.ask('run', post('agreed.yaml', { atMost: { calls: 5 } }));
  const { ended } = await workbench.until('agreed.yaml', (state) => state.ended !== null);
  expect(ended).toMatchObject({ exitCode: 75, reason: 'BUDGET_SPENT' });
  expect(folder.seen.length - before).toBe(5);
});

test('a run spends no more than the amount on its button', async () => {
  const price = 'service: { price: { company: 0.12, currency: AUD } }\n';
  folder.write('priced.yaml', `${yaml('priced')}${price}`);
  const before = folder.seen.length;
  await workbench.ask('run', post('priced.yaml', { atMost: { calls: 44, money: 0.6 } }));
  const { ended } = await workbench.until('priced.yaml', (state) => state.ended !== null);
  expect(ended).toMatchObject({ exitCode: 75, reason: 'BUDGET_SPENT' });
  expect(ended?.message).toContain('the budget of AUD 0.60 a start is spent');
  expect(folder.seen.length - before).toBe(5);
});

test('a budget of no requests lets none out, whatever was agreed to', async () => {
  folder.write('none.yaml', `${yaml('none')}budget: { perStart: 0 }\n`);
  const before = folder.seen.length;
  await workbench.ask('run', post('none.yaml', { atMost: { calls: 5 } }));
  const { ended } = await workbench.until('none.yaml', (state) => state.ended !== null);
  expect(ended).toMatchObject({ exitCode: 75, reason: 'BUDGET_SPENT' });
  expect(folder.seen.length).toBe(before);
});

test('going on with a job that has changed asks for nothing, and leads to its price', async () => {
  await workbench.ask('run', post('changed.yaml', { atMost: { calls: 3 } }));
  await workbench.until('changed.yaml', ({ ended }) => ended !== null);
  const before = folder.seen.length;
  folder.write('changed.yaml', `${yaml('changed')}people: { seniority: [3] }\n`);
  const refused = await workbench.ask<ApiProblem>('run', post('changed.yaml', { goesOn: true }));
  expect(refused).toMatchObject({ code: 'RUN_OUTDATED' });
  expect(folder.seen.length).toBe(before);
});

test('a run can be stopped though its job file was broken since', async () => {
  folder.write('broken.yaml', yaml('broken'));
  await workbench.ask('run', post('broken.yaml'));
  await workbench.until('broken.yaml', ({ inFlight }) => inFlight > 0);
  folder.write('broken.yaml', 'name: [');
  await workbench.ask('stop', post('broken.yaml'));
  await workbench.until('broken.yaml', ({ isRunning }) => !isRunning);
});

test('a job keeps the service that it names; sample data answers only for those that name none', async () => {
  folder.write('named.yaml', `${yaml('named')}service: { url: https://service.example/v1 }\n`);
  folder.write('unnamed.yaml', `${yaml('unnamed')}service: { url: "\${DOSSIER_URL}" }\n`);
  await using bare = await startWorkbench(folder.path, {});
  const serviceOf = async (job: string) =>
    (await bare.ask<Settings>('settings', { query: { job } })).service;
  expect(await serviceOf('named.yaml')).toMatchObject({ host: 'service.example', isSample: false });
  expect(await serviceOf('unnamed.yaml')).toMatchObject({ isSample: true });
});
