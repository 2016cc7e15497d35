import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { CellVerdict, Fixes, ListRead } from '../../../src/ui/workbench/api/answers.ts';
import type { OpenUi } from '../../support/open-ui.ts';
import { sharedWorkbench } from './support/workbench-folder.ts';

const list = `Name,Website,ABN,Country
Anna,s1.com.au,,
Bert,"s2,com.au",,
Carl,someone@gmail.com,51 824 753 557,
Dora,s4.com.au,,Germany
Emil,unknown5.com.au,,
`;

const yaml = `name: leads
input: { path: leads.csv }
identify: [{ column: Website, as: fqdn }, { column: ABN, as: abn }]
country: { column: Country, default: AU }
service: { price: { company: 0.12, people: 0.5, currency: AUD } }
`;

/** Answers wait for it. */
let gate: Promise<void> | undefined;
const workbench = sharedWorkbench({
  async react() {
    await gate;
    return undefined;
  },
  async fill({ write, dossier }) {
    write('leads.csv', list);
    write('leads.yaml', yaml);
    await dossier('run', 'leads.yaml');
  },
});

const answer = <Answer>(path: string, asked?: Parameters<OpenUi['ask']>[1]) =>
  workbench.ui.answer<Answer>(path, asked);
const cell = (number: number, header: string, value: string) => ({ number, header, value });
const judged = (body: object) =>
  answer<CellVerdict>('fixes/verdict?job=leads.yaml', { method: 'POST', body });
const keepAll = (cells: object[], job = 'leads.yaml') =>
  answer<CellVerdict[]>(`fixes?job=${job}`, { method: 'PUT', body: { cells } });
const keep = (...cells: object[]) => keepAll(cells);
const fixes = () => answer<Fixes>('fixes?job=leads.yaml');
const file = () => readFileSync(join(workbench.folder.path, 'leads.fixed.jsonl'), 'utf8');

test('the columns that rows are looked up by can be fixed, and no other', async () => {
  const { columns, corrections } = await fixes();
  expect(columns).toEqual([
    { name: 'input_website', header: 'Website', isName: false, isCountry: false },
    { name: 'input_abn', header: 'ABN', isName: false, isCountry: false },
    { name: 'input_country', header: 'Country', isName: false, isCountry: true },
  ]);
  expect(corrections).toEqual([]);
  const refused: unknown = await judged(cell(2, 'Name', 'Bertha'));
  expect(refused).toMatchObject({ code: 'USAGE', message: expect.stringContaining('"Name"') });
});

const says = (text: string) => expect.stringContaining(text);

test.each([
  [cell(3, 'ABN', '51824753556'), 'good', '51 824 753 556: ABN, check digits right', null],
  [cell(3, 'ABN', '51 824 753 55'), 'refused', says('11 digits'), says('lost its leading zeros')],
  [cell(2, 'Website', 'https://s2.com.au/contact'), 'good', 's2.com.au: domain', null],
  [cell(2, 'Website', 's2,com.au'), 'same', says(''), says('')],
  [cell(2, 'Website', ''), 'refused', says(''), says('')],
  [cell(4, 'Country', ''), 'good', 'Empty: the default country (Australia) applies', null],
  [cell(4, 'Website', 's44.com.au'), 'good', says('s44.com.au'), says('still rejected')],
  [cell(1, 'Website', 's11.com.au'), 'refused', says('already has a company'), null],
])('a value is judged as it is typed, by the rules of a run: %j', async (typed, ...verdict) => {
  const { kind, text, fix } = await judged(typed);
  expect([kind, text, fix]).toEqual(verdict);
});

test('what is fixed is kept beside the job at once, and can be taken back', async () => {
  // The other cell may be emptied at once, since the row has a good one.
  const both = await keep(cell(3, 'ABN', '51 824 753 556'), cell(3, 'Website', ''));
  expect(both.map(({ kind }) => kind)).toEqual(['good', 'good']);
  const { corrections } = await fixes();
  expect(corrections).toMatchObject([
    { header: 'ABN', was: '51 824 753 557', now: '51 824 753 556', isLookedUp: false },
    { header: 'Website', was: 'someone@gmail.com', now: '', isLookedUp: false },
  ]);
  // Read shows the list as the next run reads it.
  const read = await answer<ListRead>('read?job=leads.yaml');
  expect(read.rows[2]?.cells).toEqual(['Carl', '', '51 824 753 556', '']);
  expect(read.columns[2]).toMatchObject({ name: 'ABN', good: 1, rejects: [] });
  expect(read.notes).toContain('Corrections from “Fix” are shown in 2 cells.');
  // What the list holds is no correction.
  await keep(cell(3, 'Website', 'someone@gmail.com'));
  expect((await fixes()).corrections).toMatchObject([{ header: 'ABN' }]);
  expect(await keep(cell(3, 'ABN', '51 824 753 557'))).toMatchObject([{ kind: 'back' }]);
  expect(await keep(cell(2, 'Website', 's2'))).toMatchObject([{ kind: 'refused' }]);
  expect((await fixes()).corrections).toEqual([]);
  expect(file).toThrow('ENOENT');
});

test('of two rows with one key, only the correction of the row is taken back, wherever it is now', async () => {
  const { write, dossier, path } = workbench.folder;
  const one = '42,"one,com.au"\n';
  const other = '42,"other,com.au"\n';
  write('twins.csv', `Id,Website\n${one}${other}`);
  const key = 'name: twins\ninput: { path: twins.csv, key: Id }\n';
  write('twins.yaml', `${key}identify: [{ column: Website, as: fqdn }]\nservice: {}\n`);
  await dossier('run', 'twins.yaml');
  const typed = [cell(1, 'Website', 'one.com.au'), cell(2, 'Website', 'other.com.au')];
  await keepAll(typed, 'twins.yaml');
  write('twins.csv', `Id,Website\n${other}${one}`);
  await dossier('run', 'twins.yaml');
  const [back] = await keepAll([cell(2, 'Website', 'one,com.au')], 'twins.yaml');
  expect(back?.kind).toBe('back');
  const left = readFileSync(join(path, 'twins.fixed.jsonl'), 'utf8').trim().split('\n');
  expect(left.map((line) => JSON.parse(line).now)).toEqual(['other.com.au']);
});

test('a corrections file that is damaged says where, and nothing is written over it', async () => {
  workbench.folder.write('leads.fixed.jsonl', 'no JSON\n');
  expect(await fixes()).toMatchObject({ code: 'CORRECTIONS_INVALID' });
  const refused: unknown = await keep(cell(5, 'Website', 's5.com.au'));
  expect(refused).toMatchObject({ code: 'CORRECTIONS_INVALID' });
  expect(file()).toBe('no JSON\n');
});
