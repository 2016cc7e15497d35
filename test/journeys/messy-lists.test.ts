import { expect, test } from 'vitest';
import { runDossier, succeeded } from '../support/run-dossier.ts';
import { domainOf } from './sample-companies.ts';
import { openWorkplace, type Workplace } from './workplace.ts';

const service = { companies: 5 };
const [first, second, third] = [domainOf(0), domainOf(1), domainOf(2)];

/** Runs another command than `run` in the folder of the workplace. */
function dossier(workplace: Workplace, ...args: string[]) {
  const env = { DOSSIER_URL: 'http://127.0.0.1:9', DOSSIER_API_KEY: 'key-of-the-journeys' };
  return runDossier(args, { cwd: workplace.folder, env });
}

test('a title row and windows-1252 are read with a note, and guessed identifiers rejected', async () => {
  await using workplace = await openWorkplace(service);
  const rows = ['Leads of March', 'Firma;Website', `Caf\xe9;${first}`, 'B\xfcro;b\xfcro.com'];
  workplace.write('leads.csv', Buffer.from(rows.join('\r\n'), 'latin1'));
  const planned = await succeeded(dossier(workplace, 'plan', 'leads.csv'));
  expect(planned.stdout).toMatch(/one row above the\s+column\s+names\s+is\s+skipped/);

  const ran = await succeeded(workplace.run(['leads.csv']));
  const columns =
    'Companies are identified by "Website" (Domain). Choose other columns with --column.';
  const notes = [
    expect.stringContaining('is not UTF-8 (line 3), so it is read as windows-1252'),
    expect.stringContaining('one row above the column names is skipped as a title'),
    columns,
  ];
  expect(JSON.parse(ran.stdout)).toMatchObject({ rows: { matched: 1, invalid: 1 }, notes });
  expect(ran.stderr).toContain('one row above the column names is skipped');
  expect(workplace.records('companies.jsonl')[0]).toMatchObject({ input_firma: 'Café' });
  expect(workplace.records('rejects.jsonl')[0]).toMatchObject({
    Website: 'büro.com',
    reason: 'unreadable_row',
    message: expect.stringContaining('a guess; confirm it with --encoding windows-1252'),
  });

  const given = await workplace.run(['leads.csv', '--encoding', 'latin1', '--header-row', '2']);
  expect(JSON.parse(given.stdout)).toMatchObject({ rows: { not_found: 1 }, notes: [columns] });
});

test('a column with few identifiers must be named with --column', async () => {
  await using workplace = await openWorkplace(service);
  const cells = [first, 'call them', second, 'unsure', third, 'see notes', 'ask Bob'];
  workplace.write('mixed.csv', `Who,Hint\n${cells.map((cell) => `x,${cell}\n`).join('')}`);
  const unclear = await workplace.run(['mixed.csv']);
  expect(unclear.exitCode).toBe(65);
  expect(unclear.stderr).toContain('Name the column with --column');

  const named = await succeeded(workplace.run(['mixed.csv', '--column', 'hint']));
  expect(JSON.parse(named.stdout)).toMatchObject({ rows: { matched: 3, invalid: 4 } });
  const wrong = await workplace.run(['mixed.csv', '--column', 'hunt']);
  expect(wrong.exitCode).toBe(64);
  expect(wrong.stderr).toContain('--column: the list has no column "hunt"; did you mean "Hint"?');

  await succeeded(dossier(workplace, 'init', 'mixed.csv'));
  const draft = workplace.read('mixed.yaml').split('\n');
  expect(draft.join('\n')).toContain('NO COLUMN CLEARLY');
  expect(draft.join('\n')).toMatch(/^# {3}Hint +43% {2}\S+ \| call them \| \S+$/m);
});

test('a rejected row says what was looked up in vain, and which domain was certainly meant', async () => {
  await using workplace = await openWorkplace(service);
  const cells = [first, second, third, 'unknown-one.com.au', 'larch-one,com'];
  workplace.write('leads.csv', `Website\n${cells.map((cell) => `"${cell}"\n`).join('')}`);
  await succeeded(workplace.run(['leads.csv']));
  expect(workplace.records('rejects.jsonl')).toMatchObject([
    { reason: 'not_found', looked_up: ['Domain unknown-one.com.au'], suggestions: null },
    { reason: 'not_a_domain', looked_up: null, suggestions: ['larch-one.com'] },
  ]);
});
