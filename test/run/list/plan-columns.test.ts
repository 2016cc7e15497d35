import { expect, test } from 'vitest';
import { columnNotes, planColumns } from '../../../src/run/list/plan-columns.ts';
import { testJob } from '../../support/test-job.ts';

const columns = ['Name', 'Website', 'Land'];

test('a column that the job names and the list lacks is an error of the list', () => {
  const lacking = (position: string) => {
    const job = testJob({
      identify: [{ column: 'Websites', as: 'fqdn' }],
      positionOfColumn: () => position,
    });
    return () => planColumns(job, columns, []);
  };
  expect(lacking('leads.yaml:4:13')).toThrow(
    expect.objectContaining({
      code: 'COLUMN_MISSING',
      message:
        'leads.yaml:4:13: the list has no column "Websites"; did you mean "Website"? Its columns are: Name, Website, Land',
    }),
  );
  expect(lacking('--column')).toThrow(expect.objectContaining({ code: 'USAGE' }));
});

test('cut or numbered column names are reported, and no others', () => {
  const plan = { identify: [], country: { default: 'AU' } } as const;
  const notesOf = (names: readonly string[]) => columnNotes({ identify: undefined }, names, plan);
  const sentence = `Where did you ${'really '.repeat(8)}hear of us?`;
  expect(notesOf(['Website', '', 'company-name', 'Company Name', sentence])).toEqual([
    'Some columns have different names in the results: "Company Name" is input_company_name_2, "Where did you really really really reall" is input_where_did_you_really_really_really_really_really_really_r.',
  ]);
  expect(notesOf(['Website', '', 'Company Name', '会社'])).toEqual([]);
  const equal = ['a b', 'a-b', 'a.b', 'a_b', 'A B'];
  expect(notesOf(equal)[0]).toMatch(/"a_b" is input_a_b_4, 1 more\.$/);
});
