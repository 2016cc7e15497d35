import { expect, test } from 'vitest';
import { findAttention } from '../../src/report/find-attention.ts';

const calm: Parameters<typeof findAttention>[0] = {
  run: {
    ...{ id: 'r1', job: 'leads', input: 'leads.csv', state: 'finished', hasPeople: false },
    isSample: false,
    held: [],
    ...{ startedAt: 0, took: '1ms' },
  },
  rows: { total: 10, matched: 10, not_found: 0, invalid: 0, failed: 0, open: 0 },
  calls: { made: 10, reused: 0, joined: 0, shared: 0, saved: 0, failed: 0, open: 0 },
  insight: { reasons: [], mismatches: 0 },
  doubtfulCalls: 0,
  failedSearches: 0,
  incompleteSearches: 0,
  corrections: 0,
};

test('a run in which all went well needs no attention', () => {
  expect(findAttention(calm)).toEqual([]);
});

test('corrections that have applied are named, with the command that shows them', () => {
  const [notice] = findAttention({ ...calm, corrections: 3 });
  expect(notice).toMatchObject({ level: 'notice', title: '3 corrections applied to the list' });
  expect(notice?.advice).toContain('dossier fix <job> --list');
});

test('that a result is held comes before everything else', () => {
  const run = { ...calm.run, held: ['rows: 10 rows, 290 below the expected >= 300'] };
  const [first] = findAttention({ ...calm, run, failedSearches: 1 });
  expect(first?.title).toBe('The result is held: it is not what was expected');
});

test('a run that was stopped is to be gone on with, and its older answers are counted', () => {
  const run = { ...calm.run, state: 'interrupted' } as const;
  const found = findAttention({ ...calm, run, stale: 4 });
  expect(found.map(({ level, title }) => `${level}: ${title}`)).toEqual([
    'problem: The run has not finished',
    'problem: 4 rows show older answers',
  ]);
});

test('what failed, was left open or may have been charged comes first, with what to do', () => {
  const found = findAttention({
    ...calm,
    rows: { ...calm.rows, failed: 1, open: 1_200, invalid: 2 },
    doubtfulCalls: 3,
    failedSearches: 2,
  });
  expect(found.map(({ level, title }) => `${level}: ${title}`)).toEqual([
    'problem: 1 row failed after all attempts',
    'problem: 1,200 rows were not asked for yet',
    'problem: 2 people searches failed',
    'problem: 3 calls may have been charged without an answer',
  ]);
  for (const { advice } of found) expect(advice).not.toBe('');
});

test('that no row found its company is worth a look, once it is no chance', () => {
  const rowsWith = (not_found: number, matched: number) => ({ ...calm.rows, not_found, matched });
  const titles = (rows: typeof calm.rows) =>
    findAttention({ ...calm, rows }).map(({ title }) => title);
  expect(titles(rowsWith(400, 0))).toEqual(['None of 400 rows found its company']);
  expect(titles(rowsWith(9, 0))).toEqual([]);
  expect(titles(rowsWith(400, 1))).toEqual([]);
});

test('companies with another identifier are to be looked at among the rows', () => {
  const insight = { reasons: [], mismatches: 2 };
  expect(findAttention({ ...calm, insight })).toMatchObject([
    { title: '2 rows got a company with another identifier', section: 'rows' },
  ]);
});
