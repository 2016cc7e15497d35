import { readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startedByVariable } from '../../../src/core/values/variables.ts';
import { createChangeTally } from '../../../src/results/tally/change-tally.ts';
import { type ChangesInsight, gatherChanges } from '../../../src/ui/report/report-data.ts';
import type {
  ApiProblem,
  HistoryJob,
  JobFile,
  ListCard,
} from '../../../src/ui/workbench/api/answers.ts';
import { runDossier } from '../../support/run-dossier.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { sampleData, sharedWorkbench } from './support/workbench-folder.ts';

const fixtures = join(import.meta.dirname, '../../../fixtures/leads/leads.csv');
const [header = '', ...leads] = readFileSync(fixtures, 'utf8').trimEnd().split('\n');
const job = '# Of the sales team.\nname: sales\ninput: { path: leads.csv } # weekly\n';

const run = ['run', 'leads.yaml', '--rate', 'none'];
const workbench = sharedWorkbench({
  env: sampleData,
  async fill({ write, dossier }) {
    write('leads.yaml', job);
    for (const rows of [leads.slice(0, 40), leads.slice(2, 42)]) {
      write('leads.csv', [header, ...rows, ''].join('\n'));
      await dossier(...run);
    }
  },
});
const at = (name: string) => join(workbench.folder.path, name);
const history = () => workbench.ui.answer<HistoryJob[]>('history');

describe('the history of a folder', () => {
  test('lists the runs of every job, newest first, with who started them', async () => {
    const [leadsJob, ...others] = await history();
    expect(others).toEqual([]);
    expect(leadsJob).toMatchObject({ path: 'leads.yaml', name: 'sales' });
    expect(leadsJob?.runs.map(({ run, state, rows }) => [run, state, rows.total])).toEqual([
      ['r2', 'finished', 35],
      ['r1', 'finished', 35],
    ]);
    const starter = { startedBy: 'script', sampleData: true, exitCode: 0 };
    expect(leadsJob?.runs[0]).toMatchObject(starter);
    expect(leadsJob?.runs[0]?.rows.matched).toBeGreaterThan(10);
  });

  test('names a run that the page has started, and shows a try behind the last whole run', async () => {
    const { ui } = workbench;
    const { path: cwd, env } = workbench.folder;
    const byPage = { ...env, [startedByVariable]: 'page' };
    await runDossier([...run, '--limit', '5'], { cwd, env: byPage });
    const [found] = await history();
    expect(found?.runs).toMatchObject([
      { run: 'r2', limit: null },
      { run: 'r3', startedBy: 'page', limit: 5 },
      { run: 'r1' },
    ]);
    const cards = await ui.answer<ListCard[]>('lists');
    expect(cards.find(({ path }) => path === 'leads.yaml')?.last?.run).toBe('r2');
  });

  test('says of a broken job file what is wrong, and of a job without a file that it is gone', async () => {
    writeFileSync(at('broken.yaml'), 'name: broken\ninput: { path: leads.csv }\nlimts: {}\n');
    writeFileSync(at('leads.yaml'), job.replace('name: sales', 'name: renamed'));
    const found = await history();
    writeFileSync(at('leads.yaml'), job);
    const broken = found.find(({ path }) => path === 'broken.yaml');
    expect(broken?.problem?.code).toBe('JOB_INVALID');
    expect(broken?.problem?.message).toContain('limts');
    expect(found.find(({ name }) => name === 'sales')).toMatchObject({ path: null });
  });
});

test('changes have the words of the rest of the page', () => {
  const example = { name: 'Acme', before: 'unknown_tld', after: 'not_found' };
  const fields = [{ column: 'reason', count: 1, examples: [example] }];
  const tally = { ...createChangeTally().facts(), fields };
  const [field] = gatherChanges(tally, 'r1', 'changes.csv').fields;
  expect(field?.examples).toEqual([{ ...example, before: 'Unknown ending', after: 'Not found' }]);
});

test('what differs between two runs is what `dossier changes` tells, without suppressed companies', async () => {
  const query = { job: 'leads.yaml', from: 'r1', to: 'r2' };
  const ask = () => workbench.ui.answer<ChangesInsight>('changes', { query });
  const { counts, since, file, samples } = await ask();
  expect(since).toBe('r1, up to r2');
  expect(counts).toMatchObject({ row_added: 2, row_removed: 2 });
  const { dossier } = workbench.folder;
  const [, ...command] = file.replaceAll('`', '').split(' ');
  const stdout = await dossier(...command, '--json');
  const lines = stdout.trimEnd().split('\n').length;
  expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(lines);

  expect(samples.map(({ name }) => name)).toContain('Sedgefell Health Pty Ltd');

  writeFileSync(at('suppressed.csv'), [header, ...leads].join('\n'));
  writeFileSync(at('leads.yaml'), `${job}suppress: suppressed.csv\n`);
  const later = await ask();
  writeFileSync(at('leads.yaml'), job);
  expect(later.samples.map(({ name }) => name).join('')).toBe('');
});

test.each([
  [{ from: 'r2', to: 'r1' }, 422, 'USAGE'],
  [{ from: 'r1', to: 'r3' }, 422, 'RUN_MISSING'],
  [{ from: 'r1', to: 'r99' }, 422, 'RUN_MISSING'],
  [{ from: '1', to: 'r2' }, 400, 'USAGE'],
])('runs that cannot be compared are refused with a sentence: %j', async (runs, status, code) => {
  const query = { job: 'leads.yaml', ...runs };
  const answer = await workbench.ui.ask<ApiProblem>('changes', { query });
  expect([answer.status, answer.body.code]).toEqual([status, code]);
});

describe('save as job file', () => {
  const save = (body: object) =>
    workbench.ui.ask<JobFile & ApiProblem>('job-file', {
      method: 'POST',
      query: { job: 'leads.yaml' },
      body,
    });

  test('writes a job of its own, and shows it', async () => {
    expect((await save({ to: 'nightly' })).body).toEqual({ path: 'nightly.yaml' });
    const text = readFileSync(at('nightly.yaml'), 'utf8');
    expect(text).toContain('# Of the sales team.');
    expect(text).toContain('name: nightly\n');
    await workbench.folder.dossier('run', 'nightly.yaml', ...run.slice(2));
  });

  test('takes along what is fixed', async () => {
    const fixed = `${JSON.stringify({ row_key: 'k', column: 'Website', was: 'n/a', now: 'a.com.au', at: '2026-01-02T03:04:05.000Z' })}\n`;
    writeFileSync(at('leads.fixed.jsonl'), fixed);
    await save({ to: 'fixed' });
    rmSync(at('leads.fixed.jsonl'));
    expect(readFileSync(at('fixed.fixed.jsonl'), 'utf8')).toBe(fixed);
  });

  test('finds the list from another folder', async () => {
    const { body } = await save({ to: 'jobs/weekly' });
    expect(body).toMatchObject({ path: 'jobs/weekly.yaml' });
    expect(readFileSync(at('jobs/weekly.yaml'), 'utf8')).toContain('../leads.csv');
  });

  test('a link out of the folder is not followed, neither to read nor to write', async () => {
    using elsewhere = temporaryFolder();
    rmSync(at('jobs'), { recursive: true });
    symlinkSync(elsewhere.path, at('jobs'));
    writeFileSync(join(elsewhere.path, 'theirs.yaml'), job);
    const { body } = await save({ to: 'jobs/mine' });
    expect(body).toMatchObject({ code: 'FILE_UNWRITABLE' });
    expect(readdirSync(elsewhere.path)).toEqual(['theirs.yaml']);
    const read = await workbench.ui.ask('read', { query: { job: 'jobs/theirs.yaml' } });
    expect(read.status).toBe(422);
  });

  test.each(['leads', '../out', '/etc/cron', 'a/b', '.hidden', 'Größe', '', 'x.'])(
    'no file is replaced, and none written elsewhere: %j',
    async (to) => {
      const { status, body } = await save({ to });
      expect(status).toBe(422);
      expect(body.code).toMatch(/^FILE_/);
      expect(body.remedy).toMatch(/another (?:name|file)/);
      expect(readFileSync(at('leads.yaml'), 'utf8')).toBe(job);
    },
  );
});
