import { describe, expect, test } from 'vitest';
import { applyChoices } from '../../../src/pages/workbench/read/apply-choices.ts';
import { chooseKind, chooseRole, roleValue } from '../../../src/pages/workbench/read/roles.ts';
import type { ListRead } from '../../../src/workbench/api/list-read.ts';

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
    .join(', ');
}

describe('choosing what a column is', () => {
  test.each([
    [
      'abn',
      'identifier 1',
      'id key, web identifier 2, abn identifier 1, land country, note nothing',
    ],
    [
      'note',
      'identifier 2',
      'id key, web identifier 1, abn identifier 3, land country, note identifier 2',
    ],
    ['web', 'nothing', 'id key, web nothing, abn identifier 1, land country, note nothing'],
    ['note', 'country', 'id key, web identifier 1, abn identifier 2, land nothing, note country'],
    ['note', 'key', 'id nothing, web identifier 1, abn identifier 2, land country, note key'],
    [
      'land',
      'identifier 3',
      'id key, web identifier 1, abn identifier 2, land identifier 3, note nothing',
    ],
    ['abn', 'key', 'id nothing, web identifier 1, abn key, land country, note nothing'],
  ])('%s as %s', (name, value, expected) => {
    expect(after(name, value)).toBe(expected);
  });

  test('a column that was no identifier is read as one of any kind, and the kind can be chosen', () => {
    expect(chooseRole(list, named(list, 'note'), 'identifier 3').identify?.[2]).toEqual({
      column: 'note',
      as: 'auto',
    });
    expect(chooseKind(list, named(list, 'web'), 'website').identify).toEqual([
      { column: 'web', as: 'website' },
      { column: 'abn', as: 'abn' },
    ]);
  });
});
