import { expect, test } from 'vitest';
import { planColumns } from '../../../src/run/list/plan-columns.ts';
import { testJob } from '../../support/test-job.ts';

const columns = ['Name', 'Website', 'Land'];

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
