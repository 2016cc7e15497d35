import { expect, test } from 'vitest';
import { noCounts } from '../../../src/core/rules/outcomes.ts';
import { findAttention } from '../../../src/ui/report/report-data.ts';

const rows = { ...noCounts().rows, total: 10, matched: 10 };
const calm = {
  ...noCounts(),
  ...{ complete: true, held: null, corrections: 0, rows },
  ...{ reasons: [], mismatches: 0, possiblyCharged: 0, warnings: [] },
};

const findIn = (changed: Partial<Parameters<typeof findAttention>[0]>) =>
  findAttention({ ...calm, ...changed });

test.each([
  ['all went well', findIn({}), []],
  [
    'corrections applied',
    findIn({ corrections: 3 }),
    ['notice: 3 corrections applied to the list'],
  ],
  [
    'a column is gone',
    findIn({ warnings: [{ kind: 'gone_column', name: 'owner', message: 'column owner is gone' }] }),
    ['notice: column owner is gone'],
  ],
  [
    'the list is empty',
    findIn({ rows: { ...rows, total: 0, matched: 0 } }),
    ['problem: The list has no rows'],
  ],
  [
    'the result is held, and a search failed',
    findIn({ held: [], failedSearches: 1 }),
    ["problem: The result is held: it failed the job's checks", 'problem: 1 people search failed'],
  ],
  [
    'the run was stopped',
    findIn({ complete: false, rows: { ...rows, stale: 4 } }),
    ['problem: The run did not finish', 'problem: 4 rows show older answers'],
  ],
  [
    'something failed, was left open or may have been charged',
    findIn({
      rows: { ...rows, failed: 1, open: 1_200, invalid: 2 },
      failedSearches: 2,
      possiblyCharged: 3,
    }),
    [
      'problem: 1 row failed after all attempts',
      'problem: 1,200 rows have not been looked up yet',
      'problem: 2 people searches failed',
      'problem: 3 calls may have been charged without an answer, if they were sent',
    ],
  ],
  [
    'no row of many found its company',
    findIn({ rows: { ...rows, not_found: 400, matched: 0 } }),
    ['notice: No company was found for any row'],
  ],
  ['no row of a few did', findIn({ rows: { ...rows, not_found: 9, matched: 0 } }), []],
  ['one row of many did', findIn({ rows: { ...rows, not_found: 400, matched: 1 } }), []],
  [
    'a company has another identifier',
    findIn({ mismatches: 2 }),
    ['notice: 2 rows were matched to a company with a different identifier'],
  ],
])('%s: it is told first, with what to do', (_, found, expected) => {
  expect(found.map(({ level, title }) => `${level}: ${title}`)).toEqual(expected);
  for (const { advice } of found) expect(advice).not.toBe('');
});
