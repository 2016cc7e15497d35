import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { beforeEach, expect, test } from 'vitest';
import { packagePath } from '../../src/platform/package-path.ts';
import { runDossier } from '../support/run-dossier.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const bulk = packagePath('fixtures/register/20260630_Public01.xml');
const rows = [
  'larchhaven apps p/l,https://larchhaven-apps-absent-sample.com,TAS',
  'The LARCHHAVEN APPS Pty Limited,,',
  'Larchaven Apps,,TAS',
  'HOLLINBECK ELECTRONICS LIMITED,,',
  'Hollinbeck Electronics,,Western Australia',
  ',,',
];

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
  writeFileSync(join(folder.path, 'leads.csv'), `Company,Website,State\n${rows.join('\n')}\n`);
  return () => folder[Symbol.dispose]();
});

const dossier = (...args: string[]) => runDossier(args, { cwd: folder.path });
const run = (...args: string[]) => dossier('run', ...args, '--url', 'embedded');

function results(name = 'companies') {
  const text = readFileSync(join(folder.path, 'output/leads', `${name}.csv`), 'utf8');
  const records = parse(text, { columns: true, bom: true }) as Record<string, string>[];
  return records.toSorted((one, other) => Number(one.row_number) - Number(other.row_number));
}

test('a name is looked up by its ABN, after better identifiers missed, and only if one company has it', async () => {
  await dossier('register', 'load', bulk);
  const { stdout, stderr } = await run('leads.csv');
  expect(stdout + stderr).toContain('Names in the register: 3 unique, 1 ambiguous, 1 unknown.');
  const found = results().map((row) => [row.status, row.matched_by, row.identifier, row.reason]);
  expect(found).toEqual([
    ['matched', 'name', '57961803396', ''],
    ['matched', 'name', '57961803396', ''],
    ['invalid', '', '', 'name_not_found'],
    ['invalid', '', '', 'name_ambiguous'],
    ['not_found', '', '61957915436', 'not_found'],
    ['invalid', '', '', 'blank'],
  ]);
  const [rejected] = results('rejects');
  expect(rejected?.suggestions).toMatch(
    /^LARCHHAVEN APPS PTY LTD, ABN 57961803396 \(TAS 7000, other spelling, same state\)/,
  );
  expect(rejected?.suggested_abns).toMatch(/^57961803396/);
  const attribution = 'Source: Australian Business Register, ABN Bulk Extract';
  for (const name of ['manifest.json', 'report.html'])
    expect(readFileSync(join(folder.path, 'output/leads', name), 'utf8')).toContain(attribution);
});

test('a broken identifier is the reason before a name that nobody has', async () => {
  await dossier('register', 'load', bulk);
  const list = [
    'Company,Website',
    'Larchaven Apps,"larchhaven-apps-sample,com.au"',
    'Larchaven Apps,linkedin.com/in/jane-0',
    'Larchaven Apps,Some Words',
    'Larchhaven Apps,linkedin.com/in/jane-0',
    ',larchhaven-apps-sample.com',
  ].join('\n');
  writeFileSync(join(folder.path, 'leads.csv'), `${list}\n`);
  await run('leads.csv');
  expect(results().map(({ reason, matched_by: by }) => reason || by)).toEqual([
    'not_a_domain',
    'platform_page',
    'name_not_found',
    'name',
    'fqdn',
  ]);
  const [typo, person] = results('rejects');
  expect(typo?.message).toContain('Did you mean larchhaven-apps-sample.com.au?');
  expect(typo?.suggestions).toMatch(/^larchhaven-apps-sample\.com\.au; LARCHHAVEN APPS PTY LTD/);
  expect(person?.suggestions).toMatch(/^LARCHHAVEN APPS PTY LTD, ABN 57961803396/);
});

test('a row of another country does not take the ABN of its namesake', async () => {
  await dossier('register', 'load', bulk);
  const list = 'Company,Country\nLarchhaven Apps,NZ\nLarchhaven Apps,AU\n';
  writeFileSync(join(folder.path, 'leads.csv'), list);
  await run('leads.csv');
  expect(results()).toMatchObject([
    { reason: 'name_not_found', message: expect.stringContaining('another country') },
    { status: 'matched', identifier: '57961803396' },
  ]);
});

test('what the register knows about an ABN stands beside the row, in the run in which it was read', async () => {
  await dossier('register', 'load', bulk);
  writeFileSync(
    join(folder.path, 'leads.csv'),
    `ABN,Company\n57961803396,\n,${rows[3]?.split(',')[0]}\n`,
  );
  await run('leads.csv');
  const known = {
    ...{
      register_status: 'active',
      register_name: 'LARCHHAVEN APPS PTY LTD',
      register_gst: 'active',
    },
    ...{ register_entity_type: 'Australian Private Company', register_state: 'TAS' },
    ...{ register_postcode: '7000', register_acn: '961803396' },
  };
  expect(results()[0]).toMatchObject(known);
  expect(results()[1]).toMatchObject({ reason: 'name_ambiguous', register_status: '' });
  const renamed = join(folder.path, 'newer.xml');
  const text = readFileSync(bulk, 'utf8');
  writeFileSync(renamed, text.replace('>LARCHHAVEN APPS PTY LTD<', '>LARCHHAVEN PTY LTD<'));
  await dossier('register', 'load', renamed);
  const csv = () => readFileSync(join(folder.path, 'output/leads/companies.csv'), 'utf8');
  const before = csv();
  await run('leads.csv');
  expect(results()[0]).toMatchObject({ register_name: 'LARCHHAVEN PTY LTD', status: 'matched' });
  expect(results('changes')).toEqual([]);
  await dossier('export', 'leads.csv', '--run', 'r1', '--output', 'first');
  expect(readFileSync(join(folder.path, 'first/companies.csv'), 'utf8')).toBe(before);
});

test('an ABN written over a name corrects the row, which keeps its key', async () => {
  await dossier('register', 'load', bulk);
  await run('leads.csv');
  const before = results()[2];
  const path = join(folder.path, 'output/leads/rejects.csv');
  writeFileSync(path, readFileSync(path, 'utf8').replace('Larchaven Apps,', '57 961 803 396,'));
  await dossier('fix', 'leads.csv', 'output/leads/rejects.csv', '--url', 'embedded');
  expect(results()[2]).toMatchObject({
    row_key: before?.row_key,
    status: 'matched',
    matched_by: 'abn',
  });
});

test('a newer register resolves rejected names in the next run, under the same keys', async () => {
  const lacking = join(folder.path, 'lacking.xml');
  const text = readFileSync(bulk, 'utf8');
  const record =
    /<ABR (?:(?!<\/ABR>).)*LARCHHAVEN APPS PTY(?:(?!<\/ABR>).)*<\/ABR>/s.exec(text)?.[0] ?? '';
  writeFileSync(lacking, text.replace(record, '').replace('>490<', '>489<'));
  await dossier('register', 'load', lacking);
  await run('leads.csv');
  const before = results();
  expect(before[1]?.status).toBe('invalid');
  await dossier('register', 'load', bulk);
  await run('leads.csv');
  expect(results()[1]).toMatchObject({ row_key: before[1]?.row_key, status: 'matched' });
});

test('an accepted name stays, whatever a newer register says, until its ABN is cancelled', async () => {
  const loadChanged = (name: string, change: (text: string) => string) => {
    writeFileSync(join(folder.path, name), change(readFileSync(bulk, 'utf8')));
    return dossier('register', 'load', join(folder.path, name));
  };
  writeFileSync(join(folder.path, 'leads.csv'), 'Company\nLarchhaven Apps\n');
  await dossier('register', 'load', bulk);
  await run('leads.csv');
  const [first] = results();
  expect(first).toMatchObject({ identifier: '57961803396', status: 'matched' });
  const second = (text: string) => text.replace('APPS NO. 2 PTY', 'APPS PTY');
  await loadChanged('second.xml', second);
  await run('leads.csv');
  expect(results()[0]).toMatchObject({ row_key: first?.row_key, identifier: '57961803396' });
  const cancelled = (text: string) => second(text).replace(/"ACT"([^>]*>57961803396<)/, '"CAN"$1');
  await loadChanged('cancelled.xml', cancelled);
  await run('leads.csv');
  expect(results()[0]).toMatchObject({ row_key: first?.row_key, identifier: '39929603396' });
});

test('with skipCancelled, a cancelled ABN is not looked up, and the plan says so', async () => {
  const text = readFileSync(bulk, 'utf8').replace(/"ACT"([^>]*>57961803396<)/, '"CAN"$1');
  writeFileSync(join(folder.path, 'cancelled.xml'), text);
  await dossier('register', 'load', join(folder.path, 'cancelled.xml'));
  writeFileSync(join(folder.path, 'leads.csv'), 'ABN\n57961803396\n');
  const plan = async (...args: string[]) =>
    JSON.parse((await dossier('plan', 'leads.csv', '--url', 'embedded', '--json', ...args)).stdout);
  expect(await plan()).toMatchObject({ calls: { companies: 1 } });
  expect(await plan('--skip-cancelled')).toMatchObject({
    calls: { most: 0 },
    rows: { rejects: { abn_cancelled: 1 } },
  });
  await run('leads.csv', '--skip-cancelled');
  expect(results()[0]).toMatchObject({
    status: 'invalid',
    reason: 'abn_cancelled',
    register_status: 'cancelled',
  });
});

test('fix looks up only corrected rows, whatever a newer register says about the others', async () => {
  const list = 'ABN,Company\n57961803396,\n57961803397,\n,Larchavem Apps\n';
  writeFileSync(join(folder.path, 'leads.csv'), list);
  await dossier('register', 'load', bulk);
  await run('leads.csv');
  const renamed = join(folder.path, 'renamed.xml');
  const text = readFileSync(bulk, 'utf8');
  writeFileSync(renamed, text.replace('>LARCHHAVEN APPS PTY LTD<', '>LARCHHAVEN PTY LTD<'));
  await dossier('register', 'load', renamed);
  const path = join(folder.path, 'output/leads/rejects.csv');
  writeFileSync(path, readFileSync(path, 'utf8').replace('57961803397', '39929603396'));
  const fix = ['fix', 'leads.csv', path, '--url', 'embedded'];
  const { stdout } = await dossier(...fix, '--dry-run', '--json');
  expect(JSON.parse(stdout)).toMatchObject({ plan: { rows: { total: 1 } } });
  await dossier(...fix);
  expect(results().map((row) => row.register_name)).toEqual([
    'LARCHHAVEN APPS PTY LTD',
    'LARCHHAVEN APPS NO. 2 PTY LTD',
    '',
  ]);
  expect(results('rejects').at(-1)?.suggestions).toContain('LARCHHAVEN APPS PTY LTD');
});

test('suppress wins over a name', async () => {
  await dossier('register', 'load', bulk);
  writeFileSync(join(folder.path, 'suppressed.txt'), '57961803396\n');
  await run('leads.csv', '--suppress', 'suppressed.txt');
  expect(results().slice(0, 2)).toMatchObject([
    { status: 'suppressed', register_name: '' },
    { status: 'suppressed', register_name: '' },
  ]);
});

test('forget reaches suggestions and the register, and no load brings the company back', async () => {
  await dossier('register', 'load', bulk);
  await run('leads.csv');
  const file = join(folder.path, 'erasure.db');
  await dossier('ledger', 'backup', file);
  const ledger = (path: string) => readFileSync(path, 'latin1');
  expect(ledger(file)).toContain('LARCHHAVEN APPS PTY LTD');
  const { exitCode } = await dossier('forget', '57961803396', '--ledger', file);
  expect(exitCode).toBe(0);
  expect(ledger(file)).not.toContain('LARCHHAVEN APPS PTY LTD');
  await dossier('register', 'load', bulk);
  const found = await dossier('register', 'find', 'Larchhaven Apps', '--json');
  expect(found.stdout).not.toContain('57961803396');
});

test('an answer with another name is unverified', async () => {
  const renamed = join(folder.path, 'renamed.xml');
  const text = readFileSync(bulk, 'utf8');
  writeFileSync(renamed, text.replace('>LARCHHAVEN APPS PTY LTD<', '>OLD HARBOUR APPS PTY LTD<'));
  await dossier('register', 'load', renamed);
  writeFileSync(join(folder.path, 'leads.csv'), 'Company\nOld Harbour Apps\n');
  await run('leads.csv');
  expect(results()[0]).toMatchObject({ status: 'matched', match: 'unverified' });
});

test('a job names the column of names, and names.accept: suggest looks up none', async () => {
  await dossier('register', 'load', bulk);
  const job = `name: leads\ninput: {path: leads.csv}\nidentify: [{column: Website}, {column: Company, as: name, state: State}]\nnames: {accept: suggest}\n`;
  writeFileSync(join(folder.path, 'leads.yaml'), job);
  await run('leads.yaml');
  expect(results().map(({ reason }) => reason)).toEqual([
    ...[
      'not_found',
      'name_ambiguous',
      'name_not_found',
      'name_ambiguous',
      'name_ambiguous',
      'blank',
    ],
  ]);
});

test('any column can hold the names, with columns of the place found by their headers', async () => {
  await dossier('register', 'load', bulk);
  const list = 'Kunde,State\nHollinbeck Electronics,WA\n';
  writeFileSync(join(folder.path, 'leads.csv'), list);
  const unclear = await run('leads.csv');
  expect(unclear.stderr).toContain('its kind with --as (`name` for company names)');
  await run('leads.csv', '--column', 'kunde', '--as', 'name');
  expect(results()).toMatchObject([{ identifier: '61957915436' }]);
});

test.each([
  ['[{column: A, as: name}, {column: B, as: name}]', 'one column of names'],
  ['[{column: A, as: abn, state: B}]', 'because only names have a state and a postcode'],
])('a job with identify: %s is refused', async (identify, problem) => {
  const job = `name: leads\ninput: {path: leads.csv}\nidentify: ${identify}\n`;
  writeFileSync(join(folder.path, 'leads.yaml'), job);
  const { exitCode, stderr } = await run('leads.yaml');
  expect(exitCode).toBe(78);
  expect(stderr).toContain(problem);
});

test('without a register, a list of names says how to get one', async () => {
  writeFileSync(join(folder.path, 'leads.csv'), 'Company\nLarchhaven Apps\n');
  const { exitCode, stderr } = await run('leads.csv');
  expect(exitCode).toBe(65);
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain(
    'For company names, load a register first: `dossier register load FILE…` (docs/names.md).',
  );
});

test('the sample job for names does what its comment says, offline', async () => {
  const register = join(folder.path, 'sample.db');
  await dossier('register', 'load', bulk, '--register', register);
  const places = ['--output', folder.path, '--ledger', join(folder.path, 'l.db')];
  const finished = await dossier(
    ...['run', packagePath('jobs/names.yaml'), '--register', register, ...places, '--json'],
  );
  expect(JSON.parse(finished.stdout)).toMatchObject({
    rows: { total: 300, matched: 71 },
    money: [],
  });
  const rejects = readFileSync(join(folder.path, 'rejects.csv'), 'utf8');
  expect(rejects).toContain('name_ambiguous');
  expect(rejects).toMatch(/, ABN \d{11} \(/);
});
