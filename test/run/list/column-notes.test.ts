import { expect, test } from 'vitest';
import { columnNotes } from '../../../src/run/list/column-notes.ts';

const columns = ['Name', 'ABN', 'Web', 'Land'];
const identify = [
  { index: 1, as: 'abn' },
  { index: 2, as: 'fqdn' },
] as const;

test('columns that were detected are named, with the country, before they are paid for', () => {
  const plan = { identify, country: { index: 3, default: 'AU' } } as const;
  expect(columnNotes({ identify: undefined }, columns, plan)).toEqual([
    'Companies are identified by "ABN" (abn), then "Web" (fqdn), in the country of "Land"; --column names others.',
  ]);
});

test('columns that the job names are not told again', () => {
  const plan = { identify, country: { default: 'AU' } } as const;
  expect(columnNotes({ identify: [{ column: 'ABN', as: 'abn' }] }, columns, plan)).toEqual([]);
});
