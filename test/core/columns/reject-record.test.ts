import { expect, test } from 'vitest';
import { nameEveryColumn, type UniqueOptions } from '../../../src/core/columns/columns.ts';
import { rejectsColumns } from '../../../src/core/columns/tables.ts';

const namesOf = (headers: readonly string[]) => rejectsColumns(headers).map(({ name }) => name);

test('the columns of the input come first, under their own names', () => {
  expect(namesOf(['Company Name', 'ABN', 'ABN', ''])).toEqual([
    'Company Name',
    'ABN',
    'ABN',
    '',
    'row_number',
    'row_key',
    'status',
    'reason',
    'message',
    'stale',
    'changed_at',
  ]);
});

test('a rejects file that is run again keeps the columns of the first time', () => {
  const first = namesOf(['ABN']);
  expect(namesOf(first)).toEqual([
    ...first,
    'row_number_2',
    'row_key_2',
    'status_2',
    'reason_2',
    'message_2',
    'stale_2',
    'changed_at_2',
  ]);
});

test('repeated names are numbered, and none is empty', () => {
  const named = (options: UniqueOptions) =>
    nameEveryColumn(rejectsColumns(['ABN', 'ABN', '', 'Abn', 'Status']), options).map(
      ({ name }) => name,
    );
  const forFixing = named({ isCaseSensitive: true });
  expect(forFixing.slice(0, 5)).toEqual(['ABN', 'ABN_2', 'column_3', 'Abn', 'Status']);
  const forWarehouse = named({ maxBytes: 63 });
  expect(forWarehouse.slice(0, 5)).toEqual(['ABN', 'ABN_2', 'column_3', 'Abn_3', 'Status']);
  for (const names of [forFixing, forWarehouse]) expect(names).toContain('status_2');
});
