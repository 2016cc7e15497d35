import { expect, test } from 'vitest';
import { columnNotes, nameNotes } from '../../../src/run/list/column-notes.ts';

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

test('columns of the list whose names are cut off or numbered are told, and no others', () => {
  const sentence = `Where did you ${'really '.repeat(8)}hear of us?`;
  const [note, ...others] = nameNotes(['Website', '', 'company-name', 'Company Name', sentence]);
  expect(others).toEqual([]);
  expect(note).toBe(
    'Columns of the results have names of at most 63 bytes that differ: "Company Name" is input_company_name_2, "Where did you really really really reall…" is input_where_did_you_really_really_really_really_really_really_r.',
  );
  expect(nameNotes(['Website', '', 'Company Name', '会社'])).toEqual([]);
  const equal = ['a b', 'a-b', 'a.b', 'a_b', 'A B'];
  expect(nameNotes(equal)[0]).toMatch(/"a_b" is input_a_b_4, 1 more\.$/);
});
