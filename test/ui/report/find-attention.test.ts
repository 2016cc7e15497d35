import { expect, test } from 'vitest';
import { noCounts } from '../../../src/core/rules/outcomes.ts';
import { findAttention } from '../../../src/ui/report/report-data.ts';

const calm = {
  ...noCounts(),
  complete: true,
  held: null,
  corrections: 0,
  rows: { ...noCounts().rows, total: 10, matched: 10 },
};
const clear = { reasons: [], mismatches: 0 };

function findIn(changed: Partial<Parameters<typeof findAttention>[0]>, charged = 0) {
  return findAttention({ ...calm, ...changed }, clear, charged);
}

test('a run in which all went well needs no attention', () => {
  expect(findIn({})).toEqual([]);
});

test('corrections that have applied are named, with the command that shows them', () => {
  const [notice] = findIn({ corrections: 3 });
  expect(notice).toMatchObject({ level: 'notice', title: '3 corrections applied to the list' });
  expect(notice?.advice).toContain('dossier fix <job> --list');
});

test('an empty result needs attention', () => {
  const rows = { ...calm.rows, total: 0, matched: 0 };
  expect(findIn({ rows })).toMatchObject([{ level: 'problem', title: 'The list has no rows' }]);
});

test('that a result is held comes before everything else', () => {
  const [first] = findIn({ held: [], failedSearches: 1 });
  expect(first?.title).toBe('The result is held: it is not what was expected');
});

test('a run that was stopped is to be gone on with, and its older answers are counted', () => {
  const found = findIn({ complete: false, rows: { ...calm.rows, stale: 4 } });
  expect(found.map(({ level, title }) => `${level}: ${title}`)).toEqual([
    'problem: The run has not finished',
    'problem: 4 rows show older answers',
  ]);
});

test('what failed, was left open or may have been charged comes first, with what to do', () => {
  const rows = { ...calm.rows, failed: 1, open: 1_200, invalid: 2 };
  const found = findIn({ rows, failedSearches: 2 }, 3);
  expect(found.map(({ level, title }) => `${level}: ${title}`)).toEqual([
    'problem: 1 row failed after all attempts',
    'problem: 1,200 rows were not looked up yet',
    'problem: 2 people searches failed',
    'problem: 3 calls may have been charged without an answer',
  ]);
  for (const { advice } of found) expect(advice).not.toBe('');
});

test('that no row found its company is worth a look, once it is no chance', () => {
  const rowsWith = (not_found: number, matched: number) => ({ ...calm.rows, not_found, matched });
  const titles = (rows: typeof calm.rows) => findIn({ rows }).map(({ title }) => title);
  expect(titles(rowsWith(400, 0))).toEqual(['No row found its company']);
  expect(titles(rowsWith(9, 0))).toEqual([]);
  expect(titles(rowsWith(400, 1))).toEqual([]);
});

test('companies with another identifier are to be looked at among the rows', () => {
  expect(findAttention(calm, { reasons: [], mismatches: 2 }, 0)).toMatchObject([
    { title: '2 rows got a company with another identifier', section: 'rows' },
  ]);
});
