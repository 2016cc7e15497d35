import { expect, test } from 'vitest';
import { openLedger } from '../../../src/ledger/open-ledger.ts';
import type { StoredEnd } from '../../../src/ledger/runs/rows.ts';
import { hitWith, putAnswer } from '../support/answers.ts';

const matched: StoredEnd = {
  ...{ status: 'matched', reason: null, message: null, match: null, isOfCompany: true },
};
const missed: StoredEnd = { ...matched, status: 'not_found', isOfCompany: false };
/** The only answer of the ledger, for whoever waits for the call. */
const by = (callId: number) => new Map([[callId, 1]]);
const place = { runId: 1, line: 2, key: 'k', cells: [], country: 'AU' } as const;

test('a row settled once stays settled, and only rows of the call are', () => {
  using ledger = openLedger(':temporary:');
  const { rows } = ledger;
  putAnswer(ledger, 10, hitWith());
  for (const [number, callId] of [
    [1, 10],
    [2, 10],
    [3, 11],
  ] as const) {
    rows.add([{ ...place, number, callId, candidates: [['abn', '1']] }]);
  }
  rows.add([{ ...place, number: 1, runId: 2, callId: 10, candidates: [['abn', '1']] }]);
  expect(rows.endWaiting(1, by(10), matched)).toBe(2);
  expect(rows.endWaiting(1, by(10), missed)).toBe(0);
  expect(rows.counts(1)).toEqual({ open: 1, matched: 2, not_found: 0, invalid: 0, failed: 0 });
  expect(rows.counts(2)).toMatchObject({ open: 1 });
});

test('rows with another candidate move on, the others are settled', () => {
  using ledger = openLedger(':temporary:');
  const { rows } = ledger;
  putAnswer(ledger, 10, hitWith());
  rows.add([{ ...place, number: 1, callId: 10, candidates: [['abn', '1']] }]);
  const two = [
    ['abn', '1'],
    ['fqdn', 'acme.com'],
  ] as const;
  rows.add([{ ...place, number: 2, callId: 10, candidates: two }]);
  expect(rows.endExhausted(1, by(10), missed)).toBe(1);
  expect(rows.waiting(1, by(10), 5)).toEqual([
    { number: 2, country: 'AU', candidates: two, place: 0 },
  ]);
  rows.moveOn(1, 2, 1, 11);
  rows.moveOn(1, 2, 1, 12);
  expect(rows.waiting(1, by(10), 5)).toEqual([]);
  expect(rows.endExhausted(1, by(11), missed)).toBe(1);
});

test('a rejected row is settled from the beginning', () => {
  using ledger = openLedger(':temporary:');
  const reject = { reason: 'blank', message: 'The cell is empty.' };
  ledger.rows.add([{ ...place, number: 1, callId: null, candidates: [], reject }]);
  expect(ledger.rows.counts(1)).toMatchObject({ open: 0, invalid: 1 });
});
