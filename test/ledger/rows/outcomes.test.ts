import { expect, test } from 'vitest';
import { type Ledger, openLedger } from '../../../src/ledger/open-ledger.ts';
import type { RowCandidate } from '../../../src/rules/next-candidate.ts';
import type { RowEnd } from '../../../src/rules/row-verdict.ts';
import { hitWith, putAnswer } from '../support/answers.ts';

const matched: RowEnd = { status: 'matched', reason: null, message: null, match: null };
const missed: RowEnd = { ...matched, status: 'not_found' };
/** The only answer of the ledger, for whoever waits for the call. */
const by = (callId: number) => new Map([[callId, 1]]);
const one: readonly RowCandidate[] = [['abn', '1']];
const two: readonly RowCandidate[] = [...one, ['fqdn', 'acme.com']];

/** A row that waits for a call in a run. */
function waitingRow(
  ledger: Ledger,
  { key, runId = 1, callId, candidates = one }: Waiting,
): { readonly rowId: number } {
  const row = { key, cells: [], country: 'AU', candidates } as const;
  const [rowId = 0] = ledger.rows.idsOf('leads', [row]);
  ledger.outcomes.wait(runId, [{ callId, rowId, place: 0, candidatesLeft: candidates.length - 1 }]);
  return { rowId };
}

interface Waiting {
  readonly key: string;
  readonly runId?: number;
  readonly callId: number;
  readonly candidates?: readonly RowCandidate[];
}

test('a row ends once, and only rows of the call do', () => {
  using ledger = openLedger(':temporary:');
  putAnswer(ledger, 10, hitWith());
  for (const [key, callId] of [
    ['a', 10],
    ['b', 10],
    ['c', 11],
  ] as const) {
    waitingRow(ledger, { key, callId });
  }
  waitingRow(ledger, { key: 'a', runId: 2, callId: 10 });
  const { outcomes } = ledger;
  expect(outcomes.endWaiting(1, by(10), matched)).toBe(2);
  expect(outcomes.endWaiting(1, by(10), missed)).toBe(0);
  expect(outcomes.allWaiting(1, { callId: 0, rowId: 0 }, 5)).toHaveLength(1);
  expect(outcomes.allWaiting(2, { callId: 0, rowId: 0 }, 5)).toHaveLength(1);
});

test('rows with another candidate move on, the others end', () => {
  using ledger = openLedger(':temporary:');
  putAnswer(ledger, 10, hitWith());
  const { outcomes } = ledger;
  waitingRow(ledger, { key: 'a', callId: 10 });
  const { rowId } = waitingRow(ledger, { key: 'b', callId: 10, candidates: two });
  expect(outcomes.endExhausted(1, by(10), missed)).toBe(1);
  const rest = outcomes.waiting(1, by(10), 5);
  expect(rest).toEqual([{ rowId, callId: 10, country: 'AU', candidates: two, place: 0 }]);
  for (const row of rest) outcomes.moveOn(1, row, 1, 11);
  expect(outcomes.waiting(1, by(10), 5)).toEqual([]);
  expect(outcomes.endExhausted(1, by(11), missed)).toBe(1);
});

test('the outcome of a row in a run is its last one up to that run', () => {
  using ledger = openLedger(':temporary:');
  putAnswer(ledger, 10, hitWith());
  const { outcomes } = ledger;
  const { rowId } = waitingRow(ledger, { key: 'a', runId: 2, callId: 10 });
  outcomes.endWaiting(2, by(10), matched);
  waitingRow(ledger, { key: 'a', runId: 5, callId: 10 });
  outcomes.endWaiting(5, by(10), missed);
  const statusIn = (runId: number) => outcomes.upTo(runId, [rowId]).map(({ status }) => status);
  expect([1, 2, 3, 4, 5, 6].map(statusIn)).toEqual([
    ...[[], ['matched'], ['matched'], ['matched'], ['not_found'], ['not_found']],
  ]);
});

test('a row is stored once for a job, and again where a cell differs', () => {
  using ledger = openLedger(':temporary:');
  const row = { key: '1', cells: ['acme.com'], country: 'AU', candidates: one } as const;
  const [id] = ledger.rows.idsOf('leads', [row]);
  expect(ledger.rows.idsOf('leads', [row, { ...row, cells: ['Acme', 'acme.com'] }])[0]).toBe(id);
  const others = [
    ledger.rows.idsOf('leads', [{ ...row, cells: ['Acme', 'acme.com'] }]),
    ledger.rows.idsOf('leads', [{ ...row, key: '2' }]),
    ledger.rows.idsOf('other', [row]),
  ].flat();
  expect(new Set([id, ...others]).size).toBe(4);
});
