import { expect, test } from 'vitest';
import { companyColumns } from '../../../src/core/columns/table-columns.ts';
import { createChangeTally } from '../../../src/results/tally/change-tally.ts';
import { gatherChanges, groupCoverage } from '../../../src/ui/report/report-data.ts';

test('every field of the interface is in one group, with how often it is filled', () => {
  const filled = companyColumns.map((_, index) => index);
  const groups = groupCoverage(filled);
  const fields = groups.flatMap((group) => group.fields);
  const ofInterface = companyColumns.filter(({ path }) => path.length > 0);
  expect(new Set(fields.map(({ filled: some }) => companyColumns[some]))).toEqual(
    new Set(ofInterface),
  );
  // Under the names of the page, not those of the interface.
  for (const { name } of fields) expect(name).toMatch(/^[A-Z][^_.]*$/);
  expect(groups.map(({ name }) => name)).toEqual([
    ...['Profile', 'Social media', 'Registers and industry codes', 'More'],
    ...['Social media in detail', 'Reviews', 'Web traffic'],
  ]);
});

test('a changed field has the name that the table has for it', () => {
  const fields = [{ column: 'company_phones', count: 1, examples: [] }];
  const changes = gatherChanges({ ...createChangeTally().facts(), fields }, 'r1', 'changes.csv');
  expect(changes.fields).toMatchObject([{ column: 'Phones' }]);
});
