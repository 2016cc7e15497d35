import { expect, test } from 'vitest';
import { columnNotes, planColumns } from '../../../src/run/list/plan-columns.ts';
import { testJob } from '../../support/test-job.ts';

const columns = ['Name', 'Website', 'Land'];
const sample = [['Acme', 'acme.com.au', 'AU']];

test('named columns are found by their names, in the order of the job', () => {
  const job = testJob({
    identify: [
      { column: 'Website', as: 'fqdn' },
      { column: 'Name', as: 'id' },
    ],
    country: { column: 'Land', default: 'NZ' },
  });
  expect(planColumns(job, columns, [])).toEqual({
    identify: [
      { index: 1, as: 'fqdn' },
      { index: 0, as: 'id' },
    ],
    country: { index: 2, default: 'NZ' },
  });
});

test('columns that nobody named are told by what they hold', () => {
  const { identify, country } = planColumns(testJob(), ['Name', 'Website', 'Country'], sample);
  expect(identify.map(({ index }) => index)).toEqual([1]);
  expect(country).toEqual({ index: 2, default: 'AU' });
});

test('a missing column is named, with the nearest one or without', () => {
  const named = (column: string) => testJob({ identify: [{ column, as: 'fqdn' }] });
  expect(() => planColumns(named('website'), columns, sample)).toThrow(
    'the input has no column "website"; did you mean "Website"? Its columns are: Name, Website, Land',
  );
  expect(() => planColumns(named('turnover'), columns, sample)).toThrow(
    'the input has no column "turnover". Its columns are: Name, Website, Land',
  );
});

test('a list without a telling column is refused with what it has', () => {
  expect(() => planColumns(testJob(), ['Colour'], [['red']])).toThrow('the columns are: Colour');
});

test('while columns may appear, those that are there are planned for', () => {
  const job = testJob({
    identify: [
      { column: 'Late', as: 'abn' },
      { column: 'Website', as: 'fqdn' },
    ],
    country: { column: 'Later', default: 'NZ' },
  });
  const soFar = (names: readonly string[]) => planColumns(job, names, [], undefined, true);
  expect(soFar(columns)).toEqual({
    identify: [{ index: 1, as: 'fqdn' }],
    country: { default: 'NZ' },
  });
  expect(soFar([...columns, 'Late', 'Later'])).toEqual({
    identify: [
      { index: 3, as: 'abn' },
      { index: 1, as: 'fqdn' },
    ],
    country: { index: 4, default: 'NZ' },
  });
});

test('a cover sheet is told as such, with the sheets behind it', () => {
  const cover = { name: 'Cover', others: ['Leads'] };
  expect(() => planColumns(testJob(), ['Title'], [['Quarterly']], cover)).toThrow(
    'This is the sheet "Cover"; choose another with --sheet: "Leads"',
  );
});

const listed = ['Name', 'ABN', 'Web', 'Land'];
const identify = [
  { index: 1, as: 'abn' },
  { index: 2, as: 'fqdn' },
] as const;

test('columns that were detected are named, with the country, before they are paid for', () => {
  const plan = { identify, country: { index: 3, default: 'AU' } } as const;
  expect(columnNotes({ identify: undefined }, listed, plan)).toEqual([
    'Companies are identified by "ABN" (abn), then "Web" (fqdn), in the country of "Land"; --column names others.',
  ]);
});

test('columns of the list whose names are cut off or numbered are told, and no others', () => {
  const plan = { identify: [], country: { default: 'AU' } } as const;
  const notesOf = (names: readonly string[]) => columnNotes({ identify: undefined }, names, plan);
  const sentence = `Where did you ${'really '.repeat(8)}hear of us?`;
  expect(notesOf(['Website', '', 'company-name', 'Company Name', sentence])).toEqual([
    'Columns have other names in the results: "Company Name" is input_company_name_2, "Where did you really really really reall" is input_where_did_you_really_really_really_really_really_really_r.',
  ]);
  expect(notesOf(['Website', '', 'Company Name', '会社'])).toEqual([]);
  const equal = ['a b', 'a-b', 'a.b', 'a_b', 'A B'];
  expect(notesOf(equal)[0]).toMatch(/"a_b" is input_a_b_4, 1 more\.$/);
});
