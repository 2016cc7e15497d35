import { expect, test } from 'vitest';
import {
  applyChoices,
  chooseRole,
  roleValue,
  shownOrder,
} from '../../../../src/ui/pages/workbench/read/roles.ts';
import type { ListRead } from '../../../../src/ui/workbench/api/answers.ts';

type Column = ListRead['columns'][number];

const column = (name: string, role: Column['role'], isKey = false) => ({ name, role, isKey });

const list = {
  columns: [
    column('id', { is: 'nothing' }, true),
    column('web', { is: 'identifier', rank: 1, as: 'fqdn' }),
    column('abn', { is: 'identifier', rank: 2, as: 'abn' }),
    column('land', { is: 'country' }),
    column('note', { is: 'nothing' }),
  ],
  settings: { country: 'AU', people: null },
} as unknown as ListRead;

const named = (name: string) => list.columns.find((one) => one.name === name) as Column;

test.each([
  ['abn', 'identifier auto', 'id key, web fqdn, abn auto, land country'],
  ['web', 'nothing', 'id key, abn abn, land country'],
  ['note', 'country', 'id key, web fqdn, abn abn, note country'],
  ['note', 'key', 'web fqdn, abn abn, land country, note key'],
  ['land', 'identifier auto', 'id key, web fqdn, abn abn, land auto'],
  ['abn', 'key', 'web fqdn, abn key, land country'],
])('after %s was chosen as %s, columns are: %s', (name, value, expected) => {
  const roles = applyChoices(list, chooseRole(list, named(name), value))
    .columns.map((one) => `${one.name} ${roleValue(one).replace('identifier ', '')}`)
    .filter((text) => !text.endsWith('nothing'));
  expect(roles.join(', ')).toBe(expected);
});

test('a column that becomes an identifier is tried last, and used ones come first in the grid', () => {
  const { identify } = chooseRole(list, named('note'), 'identifier abn');
  expect(identify?.[2]).toEqual({ column: 'note', as: 'abn' });
  const names = shownOrder(list).map((index) => list.columns[index]?.name);
  expect(names).toEqual(['web', 'abn', 'land', 'id', 'note']);
});
