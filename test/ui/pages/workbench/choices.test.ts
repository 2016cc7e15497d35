import { describe, expect, test } from 'vitest';
import {
  applyChoices,
  chooseRole,
  roleValue,
  shownOrder,
} from '../../../../src/ui/pages/workbench/read/roles.ts';
import type { ListRead } from '../../../../src/ui/workbench/api.ts';

type Column = ListRead['columns'][number];

const column = (name: string, role: Column['role'], isKey = false): Column => ({
  ...{ name, role, isKey, isKeyFound: isKey },
  ...{ filled: 1, repeated: 0, identifiers: 1, good: 1, rejects: [] },
});

const list = {
  columns: [
    column('id', { is: 'nothing' }, true),
    column('web', { is: 'identifier', place: 1, as: 'fqdn' }),
    column('abn', { is: 'identifier', place: 2, as: 'abn' }),
    column('land', { is: 'country' }),
    column('note', { is: 'nothing' }),
  ],
  settings: { country: 'AU', people: null },
} as unknown as ListRead;

const named = (read: ListRead, name: string) =>
  read.columns.find((one) => one.name === name) as Column;

/** What each column is after one of them was chosen to be something. */
function after(name: string, value: string): string {
  const choices = chooseRole(list, named(list, name), value);
  return applyChoices(list, choices)
    .columns.map((one) => `${one.name} ${roleValue(one)}`)
    .filter((text) => name === text.split(' ')[0] || !text.endsWith('nothing'))
    .join(', ');
}

describe('choosing what a column is', () => {
  test.each([
    ['abn', 'identifier auto', 'id key, web identifier fqdn, abn identifier auto, land country'],
    ['web', 'nothing', 'id key, web nothing, abn identifier abn, land country'],
    ['note', 'country', 'id key, web identifier fqdn, abn identifier abn, note country'],
    ['note', 'key', 'web identifier fqdn, abn identifier abn, land country, note key'],
    [
      'land',
      'identifier auto',
      'id key, web identifier fqdn, abn identifier abn, land identifier auto',
    ],
    ['abn', 'key', 'web identifier fqdn, abn key, land country'],
  ])('%s as %s', (name, value, expected) => {
    expect(after(name, value)).toBe(expected);
  });

  test('a column that becomes an identifier is tried last', () => {
    expect(chooseRole(list, named(list, 'note'), 'identifier abn').identify?.[2]).toEqual({
      column: 'note',
      as: 'abn',
    });
  });

  test('columns that are used come first in the grid', () => {
    const names = shownOrder(list).map((index) => list.columns[index]?.name);
    expect(names).toEqual(['web', 'abn', 'land', 'id', 'note']);
  });
});
