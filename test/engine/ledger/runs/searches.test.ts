import { expect, test } from 'vitest';
import { openLedger } from '../../../../src/engine/ledger/open-ledger.ts';
import type { NewSearch } from '../../../../src/engine/ledger/runs/searches.ts';
import { countSearches } from '../../../support/count-run.ts';
import { testJob } from '../../../support/test-job.ts';
import { startTestRun } from '../../../support/test-run.ts';

const search: NewSearch = {
  ...{ runId: 1, companyId: 'c_1', seniority: '3', department: '', position: '' },
  country: 'AU',
};

test('a search is opened once in a run, however many rows find its company', () => {
  using ledger = openLedger(':temporary:');
  expect(ledger.searches.open(search)).toMatchObject({ ...search, received: 0 });
  expect(ledger.searches.open(search)).toBeUndefined();
  expect(ledger.searches.open({ ...search, country: 'NZ' })).toBeDefined();
  expect(ledger.searches.open({ ...search, runId: 2 })).toBeDefined();
});

test('a page says how many people nobody has seen before', () => {
  using ledger = openLedger(':temporary:');
  const id = ledger.searches.open(search)?.id ?? 0;
  expect(ledger.searches.addPage(id, ['a', 'b', 'b'], 9)).toBe(2);
  expect(ledger.searches.addPage(id, ['b', 'c'], undefined)).toBe(1);
  expect(ledger.searches.get(id)).toMatchObject({ received: 5, total: 9 });
  expect(ledger.searches.foundBy(id)).toBe(3);
  const other = ledger.searches.open({ ...search, seniority: '4' })?.id ?? 0;
  ledger.searches.addPage(other, ['a'], undefined);
  expect(ledger.searches.receivedFor(search)).toBe(6);
  expect(ledger.searches.receivedFor({ ...search, country: 'NZ' })).toBe(0);
});

test('a search ends, perhaps without everybody, or fails', () => {
  using ledger = openLedger(':temporary:');
  startTestRun(ledger, testJob());
  const ids = ['1', '2', '3', '4'].map(
    (seniority) => ledger.searches.open({ ...search, seniority })?.id,
  );
  ledger.searches.addPage(ids[0] ?? 0, ['a', 'b'], 2);
  ledger.searches.end(ids[0] ?? 0, 'total', true);
  ledger.searches.end(ids[1] ?? 0, 'failed', false);
  ledger.searches.end(ids[2] ?? 0, 'max_per_company', false);
  expect(countSearches(ledger, 1)).toEqual({
    open: 1,
    ended: 2,
    failed: 1,
    incomplete: 1,
    people: 2,
  });
});
