import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, type Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type {
  ApiProblem,
  HistoryJob,
  KnownList,
  ListCard,
  MadeJob,
} from '../../../../src/ui/workbench/api/answers.ts';
import { openUiHere } from '../../../support/open-ui.ts';
import { openFolder, sampleData, sharedWorkbench } from '../support/workbench-folder.ts';

const workbench = sharedWorkbench({ env: sampleData });
const at = (name: string) => join(workbench.folder.path, name);
const names = () => readdirSync(workbench.folder.path);

const drop = (name: string, bytes: string | Buffer | Readable, as?: string) =>
  workbench.ui.ask<MadeJob & KnownList & ApiProblem>('lists', {
    method: 'POST',
    query: { name, ...(as !== undefined && { as }) },
    body: typeof bytes === 'string' ? Buffer.from(bytes) : bytes,
  });

const list = 'Company,Website\nAcme,acme.com.au\n';

describe('a list that is dropped', () => {
  test('is stored under its name alone, with a job beside it', async () => {
    const { status, body } = await drop('../../../tmp/leads.csv', list);
    expect([status, body]).toEqual([201, { job: 'leads.yaml' }]);
    expect(readFileSync(at('leads.csv'), 'utf8')).toBe(list);
    expect(readFileSync(at('leads.yaml'), 'utf8')).toContain('path: leads.csv');
    expect(names().sort()).toEqual(['leads.csv', 'leads.yaml']);
    expect((await drop('leads.csv', list)).body).toEqual({ job: 'leads.yaml' });
  });

  test('takes no other file its name, and no other job its file', async () => {
    const more = `${list}B,b.com\n`;
    expect((await drop('leads.csv', more)).body).toEqual({ known: 'leads.yaml', by: 'name' });
    expect(names().sort()).toEqual(['leads.csv', 'leads.yaml']);
    expect((await drop('leads.csv', more, 'new')).body).toEqual({ job: 'leads-2.yaml' });
    expect(readFileSync(at('leads.csv'), 'utf8')).toBe(list);
    expect(readFileSync(at('leads-2.csv'), 'utf8')).toBe(`${list}B,b.com\n`);
    // A job file is no list, whatever it is called when it comes.
    expect((await drop('leads.yaml', `${list}C,c.com\n`, 'new')).body).toEqual({
      job: 'leads-3.yaml',
    });
    expect(readFileSync(at('leads.yaml'), 'utf8')).toContain('path: leads.csv');
  });

  test('replaces the list that it is a new version of, whose job and history stay', async () => {
    await workbench.folder.dossier('run', 'leads.yaml');
    const more = `${list}C,c.com\n`;
    // Another name and format, but the columns of the last run.
    expect((await drop('april.tsv', more.replaceAll(',', '\t'))).body).toEqual({
      known: 'leads.yaml',
      by: 'columns',
    });
    expect((await drop('leads.csv', more, 'leads.yaml')).body).toEqual({ job: 'leads.yaml' });
    expect(readFileSync(at('leads.csv'), 'utf8')).toBe(more);
    expect(readFileSync(at('removed/leads.csv'), 'utf8')).toBe(list);
    await drop('april.tsv', more.replaceAll(',', '\t'), 'leads.yaml');
    expect(readFileSync(at('leads.yaml'), 'utf8')).toContain('path: april.tsv');
    expect(existsSync(at('leads.csv'))).toBe(false);
    const [history] = await workbench.ui.answer<HistoryJob[]>('history');
    expect(history).toMatchObject({ path: 'leads.yaml', runs: [{ run: 'r1' }] });
    expect((await drop('x.csv', list, '../elsewhere.yaml')).status).toBe(422);
  });

  test('is refused in the words of the engine where it is no list, and leaves nothing', async () => {
    const before = names();
    const { status, body } = await drop('leads.pdf', '%PDF-1.7 and more');
    expect(status).toBe(422);
    expect(body.message).toBe(
      'leads.pdf is a PDF, not a list: ask for the list as CSV, or copy its table into a spreadsheet and save that as CSV',
    );
    expect((await drop('nothing.csv', '')).body.code).toBe('INPUT_INVALID');
    // The name of a file stays as it is where a sentence begins with it.
    expect((await drop('page leads.csv', '')).body.message).toMatch(/^“page leads.csv” is empty/);
    // A key would become the name of a column.
    const { body: key } = await drop('main.key', 'aB3-secret-key\n');
    expect(key.message).toBe(
      'main.key is not a list: it is one line, without columns or identifiers',
    );
    expect(names()).toEqual(before);
  });

  test('leaves nothing when the browser is closed while it comes in', async () => {
    const before = names();
    const coming = new PassThrough();
    coming.write(list);
    const dropped = drop('half.csv', coming).catch((error: Error) => error);
    await expect.poll(() => names().length).toBe(before.length + 1);
    coming.destroy(new Error('closed'));
    await dropped;
    await expect.poll(() => names()).toEqual(before);
  });
});

describe('a list that is in the folder', () => {
  test('is run though its name looks like a flag, with no more calls than were agreed to', async () => {
    const { ui } = workbench;
    writeFileSync(at('-h.csv'), 'Website\nh1.com.au\nh2.com.au\n');
    const { body: plan } = await ui.ask('plan', { query: { job: '-h.csv' } });
    expect(plan).toMatchObject({ rows: { total: 2 } });
    const run = { method: 'POST', query: { job: '-h.csv' }, body: { atMost: { calls: 1 } } };
    expect((await ui.ask('run', run)).status).toBe(202);
    const { run: made, ended } = await ui.until('-h.csv', (state) => state.ended !== null);
    expect(made).toMatchObject({ state: 'incomplete', rows: { open: 1 } });
    expect(ended?.message).toContain('the budget of 1 call for this start');
  });

  test('is renamed with its fixes, and keeps its runs', async () => {
    writeFileSync(at('old.csv'), 'id,Website\n1,acme.com.au\n');
    await workbench.folder.dossier('run', 'old.csv');
    const { body } = await rename('old.csv', 'Acme leads');
    expect(body).toEqual({ job: 'Acme leads.yaml' });
    writeFileSync(at('Acme leads.fixed.jsonl'), '');
    expect((await rename('Acme leads.yaml', 'Leads of March')).status).toBe(200);
    expect(existsSync(at('Acme leads.yaml'))).toBe(false);
    expect(existsSync(at('Leads of March.fixed.jsonl'))).toBe(true);
    const cards = await workbench.ui.answer<ListCard[]>('lists');
    const card = cards.find(({ path }) => path === 'Leads of March.yaml');
    expect(card).toMatchObject({ list: 'old.csv', last: { rows: { total: 1 } } });
  });

  test('runs under its new name on a real service, where a job belongs to its file', async () => {
    await using other = await openFolder();
    other.write('old.yaml', 'name: old\ninput:\n  path: old.csv\n');
    other.write('old.csv', list);
    await other.dossier('run', 'old.yaml');
    await using there = await openUiHere(other.path, other.env);
    const query = { job: 'old.yaml' };
    await there.ask('lists', { method: 'PATCH', query, body: { to: 'Key accounts' } });
    await other.dossier('run', 'Key accounts.yaml');
  });

  test('is renamed without taking over the runs of another file', async () => {
    await using other = await openFolder();
    const job = 'name: old\ninput:\n  path: old.csv\n';
    mkdirSync(join(other.path, 'copy'));
    for (const folder of ['', 'copy/']) {
      other.write(`${folder}old.csv`, list);
      other.write(`${folder}old.yaml`, job);
    }
    await other.dossier('run', 'copy/old.yaml');
    await using there = await openUiHere(other.path, other.env);
    const query = { job: 'old.yaml' };
    await there.ask('lists', { method: 'PATCH', query, body: { to: 'Key accounts' } });
    await other.dossier('run', 'copy/old.yaml');
  });

  test('is moved aside with its job and fixes; another job keeps a list that it reads', async () => {
    writeFileSync(at('both.csv'), list);
    for (const name of ['one', 'two']) {
      writeFileSync(at(`${name}.yaml`), `name: ${name}\ninput:\n  path: both.csv\n`);
    }
    expect((await remove('one.yaml')).body).toEqual({ moved: ['removed/one.yaml'] });
    expect((await remove('two.yaml')).body.moved).toEqual(['removed/two.yaml', 'removed/both.csv']);
    const { body } = await remove('Leads of March.yaml');
    expect(body.moved).toContain('removed/Leads of March.fixed.jsonl');
    // A second one of the same name does not replace the first.
    writeFileSync(at('one.yaml'), 'name: [');
    writeFileSync(at('both.csv'), `${list}other.com.au\n`);
    expect((await remove('both.csv')).body.moved).toEqual(['removed/both-2.csv']);
  });
});

const rename = (job: string, to: string) =>
  workbench.ui.ask<MadeJob & ApiProblem>('lists', {
    method: 'PATCH',
    query: { job },
    body: { to },
  });
const remove = (job: string) =>
  workbench.ui.ask<{ moved: string[] }>('lists', { method: 'DELETE', query: { job } });

describe('the cards of a folder', () => {
  test('show each list once, as its job, and say what is wrong with a job', async () => {
    await using other = await openFolder(undefined, sampleData);
    const { write } = other;
    write('package.json', '{"name": "no list"}');
    write('crm.json', '\n[ {"domain": "acme.com.au"} ]');
    write('leads.csv', 'Website\nhollinmere-college-sample.com.au\nnot a domain\n');
    write('read.csv', list);
    write('broken.yaml', 'name: broken\ninput:\n  path: leads.csv\n  shet: x\n');
    mkdirSync(join(other.path, 'jobs'));
    // Another job of the name that the list would get.
    write('jobs/other.yaml', 'name: crm\ninput:\n  path: ../elsewhere.csv\n');
    write('jobs/read.yaml', 'name: read\ninput:\n  path: ../read.csv\n');
    await other.dossier('run', 'leads.csv');
    await using there = await openUiHere(other.path);
    const cards = await there.answer<ListCard[]>('lists');
    const byPath = new Map(cards.map((card) => [card.path, card]));
    expect([...byPath.keys()].sort()).toEqual([
      'broken.yaml',
      'crm.json',
      'jobs/other.yaml',
      'jobs/read.yaml',
      'leads.csv',
    ]);
    expect(byPath.get('broken.yaml')?.problem?.message).toContain('broken.yaml:4:3: input.shet');
    expect(byPath.get('jobs/read.yaml')).toMatchObject({ list: 'read.csv', isRunning: false });
    expect(byPath.get('leads.csv')).toMatchObject({
      last: { state: 'finished', sampleData: true, limit: null, rows: { total: 2, invalid: 1 } },
    });
    const make = (job: string) =>
      there.ask<MadeJob>('job', { method: 'PATCH', query: { job }, body: {} });
    expect((await make('crm.json')).body).toEqual({ job: 'crm-2.yaml' });
    // What the list has run as so far is the past of its job.
    expect((await make('leads.csv')).body).toEqual({ job: 'leads.yaml' });
    const after = await there.answer<ListCard[]>('lists');
    expect(after.find(({ path }) => path === 'leads.yaml')).toMatchObject({
      last: { rows: { invalid: 1 } },
    });
  });
});
