import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readIdentifierList } from '../../src/lists/read-suppressed.ts';
import { makeWorkbook } from '../support/make-workbook.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

async function keysIn(name: string, content: string | Buffer) {
  using folder = temporaryFolder();
  const path = join(folder.path, name);
  writeFileSync(path, content);
  const keys: string[] = [];
  const notes = await readIdentifierList(path, 'auto', (key) => keys.push(key));
  return { keys, notes: notes.map((note) => note.replace(`${path}: `, '')) };
}

test.each([
  ['p_kjrais7qw\n', ['person p_kjrais7qw']],
  ['p_kjrais7qw\np_aizumpfu8\n', ['person p_kjrais7qw', 'person p_aizumpfu8']],
  ['company_id,person_id\n7,101\n', ['id 7', 'person 101']],
  ['site\n"acme.com.au; beta.com.au"\n', ['domain acme.com.au', 'domain beta.com.au']],
  ['page\nlinkedin.com/in/Jane%2D42\n', ['profile jane-42']],
])('the list %j names %j', async (content, keys) => {
  expect(await keysIn('list.csv', content)).toEqual({ keys, notes: [] });
});

test('an e-mail address does not suppress the employer', async () => {
  const list = 'email,person_id\njane@acme.com.au,p_31zzz\n';
  expect(await keysIn('list.csv', list)).toEqual({
    keys: ['person p_31zzz'],
    notes: ['1 cell is not an identifier. First: line 2, column email.'],
  });
});

test('a column that begins late in a JSONL list counts', async () => {
  const companies = '{"site":"acme.com.au"}\n'.repeat(4_000);
  const { keys } = await keysIn('list.jsonl', `${companies}{"person_id":"101"}\n`);
  expect(keys.at(-1)).toBe('person 101');
});

test('every sheet of a workbook is read', async () => {
  const sheet = (name: string, text: string) => ({
    name,
    rows: `<row><c t="inlineStr"><is><t>${text}</t></is></c></row>`,
  });
  const workbook = makeWorkbook({
    sheets: [sheet('First', 'acme.com.au'), sheet('Second', 'beta.com.au')],
  });
  const { keys } = await keysIn('list.xlsx', workbook);
  expect(keys).toEqual(['domain acme.com.au', 'domain beta.com.au']);
});
