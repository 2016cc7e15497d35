import { expect, test } from 'vitest';
import { nameColumn } from '../../../src/core/columns/columns.ts';
import { inputColumns } from '../../../src/core/columns/table-columns.ts';
import { companiesColumns } from '../../../src/core/columns/tables.ts';
import { warehouseTables } from '../../../src/results/tables.ts';
import { reservedWords } from './reserved-words.ts';

test('every column name is valid in a warehouse: at most 63 bytes, unique, not a reserved word', () => {
  const headers = ['Row', 'rows', 'Order', `Where did you ${'really '.repeat(20)}hear of us?`];
  const contracts = Object.values(warehouseTables).map((table) => table.columns);
  for (const columns of [companiesColumns(headers), ...contracts]) {
    const names = columns.map(({ name }) => name);
    expect(names.filter((name) => Buffer.byteLength(name) > 63)).toEqual([]);
    expect(names.filter((name) => !/^[a-z][a-z0-9_]*$/.test(name))).toEqual([]);
    expect(names.filter((name) => reservedWords.has(name))).toEqual([]);
    // The names above are lower case, so that they differ without their capitals, too.
    expect(new Set(names).size).toBe(names.length);
  }
  expect([...reservedWords].filter((word) => word.startsWith('row'))).toEqual(['row', 'rows']);
});

test('headers give safe column names', () => {
  expect(
    inputColumns(['Company Name', 'company-name', '', '会社']).map(({ name }) => name),
  ).toEqual(['input_company_name', 'input_company_name_2', 'input_column_3', 'input_会社']);
});

test('a long header is cut to 63 bytes, and two with the same start stay different', () => {
  const sentence = 'Wie groß ist das Unternehmen, für das Sie arbeiten, ungefähr, und seit wann?';
  const names = inputColumns([sentence, `${sentence} Bitte schätzen.`]).map(({ name }) => name);
  expect(names).toEqual([
    'input_wie_groß_ist_das_unternehmen_für_das_sie_arbeiten_ungef',
    'input_wie_groß_ist_das_unternehmen_für_das_sie_arbeiten_ung_2',
  ]);
});

test.each([
  [['Email', 'First name', 'Last name'], undefined],
  [['First name', 'Firm name'], 1],
  [['Trade name', 'Company'], 1],
  [['Land', 'Firma'], 1],
  [['Kundenname', 'Ort'], 0],
  [['Unternehmensname', 'Vorname'], 0],
  [['Pays', 'Raison sociale'], 1],
  [['Società', 'Sito'], 0],
  [['Clienttype', 'Bedrijfsnaam'], 1],
])('of %j, the company stands in column %j', (headers, column) =>
  expect(nameColumn(headers)).toBe(column),
);
