import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import type {
  ApiProblem,
  ListRead,
  MadeJob,
  Settings,
} from '../../../../src/ui/workbench/api/answers.ts';
import type { JobChoices } from '../../../../src/ui/workbench/api/requests.ts';
import { openHostileServer } from '../../../support/hostile-server.ts';
import { openListServer } from '../../../support/list-server.ts';
import { makeWorkbook, textRow } from '../../../support/make-workbook.ts';
import { testIf } from '../../../support/needs.ts';
import type { OpenUi } from '../../../support/open-ui.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { sharedWorkbench } from '../support/workbench-folder.ts';

const workbench = sharedWorkbench({ env: { DOSSIER_URL: 'https://service.example/v1' } });
const at = (name: string) => join(workbench.folder.path, name);
const ask: OpenUi['ask'] = (path, asked) => workbench.ui.ask(path, asked);

async function read(job: string): Promise<ListRead> {
  const { status, body } = await ask<ListRead>('read', { query: { job } });
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

const termsOf = async (job: string) => (await ask<Settings>('settings', { query: { job } })).body;

const choose = (job: string, choices: JobChoices) =>
  ask<MadeJob & ApiProblem>('job', { method: 'PATCH', query: { job }, body: choices });

/** `Website: identifier 1 fqdn` */
function rolesOf({ columns }: ListRead): string[] {
  return columns.map(({ name, role, isKey }) => {
    const is = role.is === 'identifier' ? `identifier ${role.rank} ${role.as}` : role.is;
    return `${name}: ${is}${isKey ? ', key' : ''}`;
  });
}

/** The plan of the page, which is that of a terminal in the same folder. */
async function plan(job: string): Promise<unknown> {
  const { body } = await ask('plan', { query: { job } });
  expect(body).toEqual(JSON.parse(await workbench.folder.dossier('plan', job, '--json')));
  return body;
}

test('a workbook whose header is not found is corrected, and priced as the terminal does', async () => {
  const rows = [
    textRow(1, 'Leads of March', 'for sales', 'draft'),
    textRow(2, 'do not share', 'for sales', 'v2'),
    textRow(3, 'CRM id', 'Website', 'Country'),
    textRow(4, '0019', 'acme.com.au', 'Australia'),
    textRow(5, '0020', 'someone@gmail.com', 'AU'),
    textRow(6, '0021', 'beta.co.nz', 'Mars'),
  ].join('');
  const sheets = [
    { name: 'Notes', rows: textRow(1, 'nothing', 'here') },
    { name: 'Leads', rows },
  ];
  const dropped = await ask<MadeJob>('lists', {
    method: 'POST',
    query: { name: 'march.xlsx' },
    body: makeWorkbook({ sheets }),
  });
  const { job } = dropped.body;
  expect((await read(job)).sheet).toEqual({ name: 'Notes', others: ['Leads'], lists: [] });
  await choose(job, { sheet: 'Leads' });
  expect((await read(job)).columns.map(({ name }) => name)).not.toContain('Website');
  await choose(job, { headerRow: 3 });

  const list = await read(job);
  expect(rolesOf(list)).toEqual([
    'CRM id: nothing, key',
    'Website: identifier 1 fqdn',
    'Country: country',
  ]);
  expect(list.rows.map(({ line }) => line)).toEqual([4, 5, 6]);
  expect(list.columns[1]).toMatchObject({
    filled: 3,
    good: 2,
    rejects: [{ reject: 'freemail', rows: 1, examples: ['someone@gmail.com'] }],
  });
  // A page does not learn the key, only that there is none.
  expect(list.service).toEqual({ host: 'service.example', isSample: false, hasKey: false });
  const says = (cell: number, text: string) => ({ cell, message: expect.stringContaining(text) });
  expect(list.rows[1]?.rejects).toEqual([says(1, 'mail provider')]);
  expect(list.rows[2]?.rejects).toEqual([says(2, 'country')]);

  // The draft no longer says what was read before.
  const drafted = readFileSync(at(job), 'utf8');
  expect(drafted).not.toMatch(
    /# {3}nothing|Leads of March|NO COLUMN CLEARLY|told apart by a hash|Contents of the columns/,
  );

  const priced = { rows: { total: 3, open: 1 }, calls: { companies: 1 }, price: null };
  expect(await plan(job)).toMatchObject(priced);
});

test('a list of a spreadsheet in another country is read as it is, or as the user says', async () => {
  const text = 'Firma;Webseite\nMüller;mueller-sample.com.au\nÜber;über-sample.com.au\n';
  writeFileSync(at('firmen.csv'), Buffer.from(text, 'latin1'));
  const list = await read('firmen.csv');
  expect(list).toMatchObject({
    delimiter: ';',
    encoding: 'windows-1252',
    headerLine: 1,
    isBare: true,
    notes: [],
  });
  // The view shows how two lines read.
  const lines = ['Müller', 'Über, über-sample.com.au'];
  expect(list.guess).toEqual({ name: 'windows-1252', lines });
  expect(list.rows[0]?.cells[0]).toBe('Müller');
  // A guess is not enough for an identifier.
  expect(list.rows[1]?.problem).toContain('a guess; confirm it with --encoding');

  expect((await choose('firmen.csv', { encoding: 'windows-1252' })).body).toEqual({
    job: 'firmen.yaml',
  });
  const chosen = await read('firmen.yaml');
  expect([chosen.notes, chosen.rows[1]?.problem, chosen.settings.encoding]).toEqual([
    [],
    null,
    'windows-1252',
  ]);

  for (const [delimiter, ...names] of [
    [',', 'Firma;Webseite'],
    [null, 'Firma', 'Webseite'],
  ]) {
    await choose('firmen.yaml', { delimiter: delimiter ?? null });
    expect((await read('firmen.yaml')).columns.map(({ name }) => name)).toEqual(names);
  }
});

describe('choices are in the job file at once', () => {
  const written = `# Nightly, see the wiki
name: crm   # do not rename
limits: { rate: 2 }
input:
  path: crm.csv
# The account team's own order
identify:
  - column: domain # from the CRM
    as: fqdn
  - column: abn
output: { format: [csv] }
`;

  test('and what people wrote around them stays', async () => {
    writeFileSync(at('crm.csv'), 'id,domain,abn,land\n1,acme.com.au,51824753556,AU\n2,b.com,,NZ\n');
    writeFileSync(at('crm.yaml'), written);
    expect(rolesOf(await read('crm.yaml'))).toEqual([
      'id: nothing, key',
      'domain: identifier 1 fqdn',
      'abn: identifier 2 auto',
      'land: nothing',
    ]);
    const identify = [
      { column: 'abn', as: 'abn' },
      { column: 'domain', as: 'fqdn' },
    ];
    await choose('crm.yaml', {
      identify,
      country: { column: 'land', default: 'NZ' },
      key: 'id',
      perStart: 50,
      price: { company: 0.12, people: 0.5, currency: 'AUD' },
      people: { seniority: ['C-Suite', 'Manager'], department: ['Sales'], maxPerCompany: 5 },
    });
    expect(readFileSync(at('crm.yaml'), 'utf8')).toBe(`# Nightly, see the wiki
name: crm # do not rename
limits: { rate: 2 }
input:
  path: crm.csv
  key: id
# The account team's own order
identify:
  - column: abn
    as: abn
  - column: domain # from the CRM
    as: fqdn
output: { format: [ csv ] }
country:
  column: land
  default: NZ
budget:
  perStart: 50
service:
  price:
    company: 0.12
    people: 0.5
    currency: AUD
people:
  maxPerCompany: 5
  seniority: [ C-Suite, Manager ]
  department: [ Sales ]
`);
    const list = await read('crm.yaml');
    expect(list.settings).toMatchObject({
      country: 'NZ',
      people: { seniority: ['C-Suite', 'Manager'], department: ['Sales'], maxPerCompany: 5 },
    });
    expect((await termsOf('crm.yaml')).terms).toEqual({
      rate: 2,
      perStart: 50,
      perDay: null,
      perMonth: null,
      confirmAbove: 10,
      suppress: [],
      price: { company: 0.12, people: 0.5, currency: 'AUD' },
    });
    const priced = { price: { currency: 'AUD' }, budget: { perStart: 50 } };
    expect(await plan('crm.yaml')).toMatchObject(priced);
  });

  test('and go out of it again', async () => {
    await choose('crm.yaml', { people: null, perStart: null, price: null, key: null });
    const text = readFileSync(at('crm.yaml'), 'utf8');
    expect(text).not.toMatch(/people|budget|service|key/);
    expect((await read('crm.yaml')).settings.people).toBeNull();
    expect((await termsOf('crm.yaml')).terms).toMatchObject({ perStart: null, price: null });
    const limits = { rate: 5, perDay: 20, perMonth: 100, confirmAbove: 0.5 };
    await choose('crm.yaml', limits);
    expect((await termsOf('crm.yaml')).terms).toMatchObject(limits);
  });

  test('unless the job would be none', async () => {
    const before = readFileSync(at('crm.yaml'), 'utf8');
    const refused = [
      await choose('crm.yaml', { price: { company: -1, people: 0, currency: 'AUD' } }),
      await choose('crm.yaml', { identify: [] }),
      await choose('crm.yaml', { headerRow: 99 }),
      await choose('crm.yaml', { suppress: ['missing.csv'] }),
    ];
    expect(refused.map(({ status, body }) => [status, body.code])).toEqual([
      [422, 'JOB_INVALID'],
      [422, 'JOB_INVALID'],
      [422, 'INPUT_INVALID'],
      [422, 'SUPPRESS_UNREADABLE'],
    ]);
    expect(readFileSync(at('crm.yaml'), 'utf8')).toBe(before);
  });
});

test('the page reads no list outside its folder, and does not tell what is there', async () => {
  using elsewhere = temporaryFolder();
  writeFileSync(join(elsewhere.path, 'people.csv'), 'website\nacme.com.au\n');
  writeFileSync(join(elsewhere.path, 'text.csv'), 'nothing to suppress\n');
  symlinkSync(elsewhere.path, at('link'));
  writeFileSync(at('own.csv'), 'website\nacme.com.au\n');
  const outside = relative(at(''), elsewhere.path);
  const typed = ['people', 'text', 'missing'].flatMap((name) =>
    [outside, elsewhere.path, 'link'].map((folder) => `${folder}/${name}.csv`),
  );
  const before = readFileSync(at('crm.yaml'), 'utf8');
  for (const path of [...typed, '/dev/null', 'nowhere.csv']) {
    const { status, body } = await choose('crm.yaml', { suppress: ['own.csv', path] });
    expect([status, body.code, body.message]).toEqual([
      422,
      'SUPPRESS_UNREADABLE',
      `${path} is not a file in this folder`,
    ]);
  }
  expect(readFileSync(at('crm.yaml'), 'utf8')).toBe(before);

  // What somebody has written into the job file stays.
  writeFileSync(at('crm.yaml'), `${before}suppress: [${outside}/people.csv]\n`);
  const kept = { suppress: [`${outside}/people.csv`, 'own.csv'] };
  expect((await choose('crm.yaml', kept)).status).toBe(200);
  expect((await termsOf('crm.yaml')).terms).toMatchObject(kept);
  writeFileSync(at('crm.yaml'), before);
});

test('a list that is read in another way keeps the columns that the user chose if it has them', async () => {
  const rows = ['7,acme.com.au,51824753556,AU,Ann', '8,beta.com.au,,NZ,Bob', '9,c.com.au,,NZ,Cid'];
  const head = 'id,Wébsite,ABN,Land,Owner';
  writeFileSync(at('again.csv'), Buffer.from([head, ...rows].join('\n'), 'latin1'));
  const roles = async () =>
    rolesOf(await read('again.yaml')).filter((one) => !/nothing$/.test(one));
  const identify = [
    { column: 'ABN', as: 'auto' },
    { column: 'Wébsite', as: 'website' },
  ];
  await choose('again.csv', { identify, key: 'Owner', country: { column: null, default: 'NZ' } });
  const chosen = await roles();
  expect(chosen).toEqual([
    'Wébsite: identifier 2 website',
    'ABN: identifier 1 auto',
    'Owner: nothing, key',
  ]);
  await choose('again.yaml', { encoding: 'windows-1252', headerRow: 1 });
  expect(await roles()).toEqual(chosen);
  await choose('again.yaml', { encoding: 'macintosh' });
  expect(await roles()).toEqual([
    'id: nothing, key',
    'WÈbsite: identifier 2 fqdn',
    'ABN: identifier 1 abn',
    'Land: country',
  ]);
});

const variable = ['$', '{HOME}'].join('');

test('a wide list is shown in part, and a name that looks like a variable is a name', async () => {
  const names = Array.from({ length: 1_000 }, (_, index) => `c${index}`);
  const header = [...names, variable, '=cmd|x'].join(',');
  const cells = [...names.map(() => ''), 'acme.com.au', '=1+1'].join(',');
  writeFileSync(at('wide.csv'), `${header}\n${cells}\n${cells.replace('acme', 'beta')}\n`);
  const list = await read('wide.csv');
  // The first ones, and the one that identifies companies.
  expect([list.columns.length, list.otherColumns]).toEqual([301, 701]);
  expect(list.columns.at(-1)).toMatchObject({ name: variable, role: { is: 'identifier' } });
  const identify = [{ column: variable, as: 'website' }];
  expect((await choose('wide.csv', { identify })).body).toEqual({ job: 'wide.yaml' });
  expect((await read('wide.yaml')).columns.at(-1)?.role).toMatchObject({ as: 'website' });
});

testIf(process.platform === 'linux', 'there is no /proc')(
  'a price that is no longer waited for is not counted on',
  async () => {
    await using server = await openHostileServer({ neverAnswer: true });
    writeFileSync(at('slow.yaml'), `name: slow\ninput: { path: ${server.url}/leads.csv }\n`);
    const children = `/proc/${process.pid}/task/${process.pid}/children`;
    const processes = () => readFileSync(children, 'utf8');
    const before = processes();
    const leaving = new AbortController();
    const address = new URL('api/plan?job=slow.yaml', workbench.ui.url);
    const waiting = fetch(address, { signal: leaving.signal });
    await expect.poll(() => server.seen.length).toBe(1);
    expect(processes()).not.toBe(before);
    leaving.abort();
    await expect(waiting).rejects.toThrow('aborted');
    await expect.poll(processes).toBe(before);
  },
);

test('the theme is kept in the folder', async () => {
  await ask('settings', { method: 'PUT', body: { theme: 'dark' } });
  expect((await ask('settings')).body).toMatchObject({ theme: 'dark' });
  const written = JSON.parse(readFileSync(at('output/workbench.json'), 'utf8'));
  expect(written).toEqual({ theme: 'dark', presets: [] });
  const damaged = '{ "theme": "dark",';
  writeFileSync(at('output/workbench.json'), damaged);
  const changed = { method: 'PUT', body: { theme: 'light' } };
  const answers = [await ask('settings'), await ask('settings', changed)];
  const message = expect.stringContaining('repair or delete output/workbench.json');
  for (const { body } of answers) expect(body).toMatchObject({ code: 'INPUT_INVALID', message });
  // The page still opens, because it can stop a run.
  expect((await ask('folder')).body).toMatchObject({ theme: 'auto' });
  expect(readFileSync(at('output/workbench.json'), 'utf8')).toBe(damaged);
  rmSync(at('output'), { recursive: true });
  writeFileSync(at('output'), 'a file in the place of the folder');
  const { status, body } = await ask('settings', { method: 'PUT', body: { theme: 'dark' } });
  expect(status).toBe(422);
  expect(body).toMatchObject({
    code: 'OUTPUT_TROUBLE',
    remedy: 'Free disk space or make the folder writable, then try again.',
  });
});

test('a job whose list is at an address is read, chosen and saved as one of a file, without its secrets', async () => {
  await using server = await openListServer({
    '/in/leads.csv': 'id,site\n1,acme.com\n2,globex.com\n',
  });
  const { host } = new URL(server.url);
  const address = `http://reader:hunter22@${host}/in/leads.csv?sig=c0ffee99`;
  const text = `name: elsewhere\ninput:\n  path: ${address}\nidentify:\n  - column: site\n`;
  writeFileSync(at('elsewhere.yaml'), text);
  const first = await read('elsewhere.yaml');
  expect(first).toMatchObject({ list: 'leads.csv', rowsSeen: 2, isBare: false });
  expect(rolesOf(first)).toEqual(['id: nothing, key', 'site: identifier 1 auto']);
  const chosen = await choose('elsewhere.yaml', { identify: [{ column: 'site', as: 'fqdn' }] });
  expect(chosen.status, JSON.stringify(chosen.body)).toBe(200);
  const again = await read('elsewhere.yaml');
  expect(rolesOf(again)).toEqual(['id: nothing, key', 'site: identifier 1 fqdn']);
  // The page reads it again after each choice, and the server has sent it once.
  expect(server.sent).toHaveLength(1);
  const { body: cards } = await ask<{ lists: unknown }>('lists');
  expect(JSON.stringify(cards)).toContain('leads.csv');
  expect(JSON.stringify([first, again, cards])).not.toMatch(/hunter22|c0ffee99/);
});

test('presets that are saved at once are all kept', async () => {
  const labels = Array.from({ length: 8 }, (_, number) => `Preset ${number}`);
  rmSync(at('output'), { recursive: true, force: true });
  const put = (label: string) =>
    ask('presets', { method: 'PUT', body: { label, columns: ['status'] } });
  await Promise.all(labels.map(put));
  const { body } = await ask<Settings>('settings');
  expect(body.presets.map(({ label }) => label).sort()).toEqual(labels);
});

test('a chosen column is no longer called unclear in the drafted job', async () => {
  writeFileSync(at('plain.csv'), 'Firm,Notes\nAcme,x\nBee,y\n');
  const { body } = await choose('plain.csv', { country: { column: null, default: 'NZ' } });
  const { job } = body as MadeJob;
  expect(readFileSync(at(job), 'utf8')).toContain('NO COLUMN CLEARLY');
  await choose(job, { identify: [{ column: 'Firm', as: 'name' }] });
  expect(readFileSync(at(job), 'utf8')).not.toContain('NO COLUMN CLEARLY');
});
