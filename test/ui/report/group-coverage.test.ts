import { expect, test } from 'vitest';
import { companyColumns } from '../../../src/core/columns/table-columns.ts';
import { groupCoverage } from '../../../src/ui/report/report-data.ts';

test('every field of the interface is in one group, with how often it is filled', () => {
  const filled = companyColumns.map((_, index) => index);
  const groups = groupCoverage(filled);
  const fields = groups.flatMap((group) => group.fields);
  const ofInterface = companyColumns.filter(({ path }) => path.length > 0);
  expect(fields.map(({ name }) => name).sort()).toEqual(
    ofInterface.map(({ path }) => path.join('.')).sort(),
  );
  for (const { name, filled: some } of fields) {
    expect(companyColumns[some]?.path.join('.')).toBe(name);
  }
  expect(groups.map(({ name }) => name)).toEqual([
    ...['Profile', 'Social media', 'Registers and industry codes', 'More'],
    ...['Social media in detail', 'Reviews', 'Web traffic'],
  ]);
});
