import { expect, test } from 'vitest';
import type { RowCandidate } from '../../../../src/core/rules/next-candidate.ts';
import type { RowStatus } from '../../../../src/core/rules/outcomes.ts';
import { type Ledger, openLedger } from '../../../../src/engine/ledger/open-ledger.ts';

const one: readonly RowCandidate[] = [['abn', '1']];
const two: readonly RowCandidate[] = [...one, ['fqdn', 'acme.com']];

/** A row that waits for a call in a run. */
function waitingRow(
  ledger: Ledger,
  { key, runId = 1, callId, candidates = one }: Waiting,
): { readonly rowId: number } {
  const row = { key, cells: [], country: 'AU', candidates } as const;
  const [rowId = 0] = ledger.rows.idsOf('leads', [row]);
  ledger.outcomes.wait(runId, [{ callId, rowId, place: 0 }]);
  return { rowId };
}

interface Waiting {
  readonly key: string;
  readonly runId?: number;
  readonly callId: number;
  readonly candidates?: readonly RowCandidate[];
}

test('rows wait for a call in a run, until they leave', () => {
  using ledger = openLedger(':temporary:');
  const [rowId = 0, other = 0] = ['a', 'b'].map(
    (key) => waitingRow(ledger, { key, callId: 10, candidates: two }).rowId,
  );
  waitingRow(ledger, { key: 'c', callId: 11 });
  waitingRow(ledger, { key: 'a', runId: 2, callId: 10, candidates: two });
  const { outcomes } = ledger;
  const row = { callId: 10, country: 'AU', candidates: two, place: 0 };
  expect(outcomes.waiting(1, [10], 5)).toEqual([
    { rowId, ...row },
    { rowId: other, ...row },
  ]);
  outcomes.leave(1, [{ callId: 10, rowId }]);
  expect(outcomes.waiting(1, [10, 11], 1)).toEqual([{ rowId: other, ...row }]);
  expect(outcomes.allWaiting(1, { callId: 0, rowId: 0 }, 5)).toHaveLength(2);
  expect(outcomes.allWaiting(2, { callId: 0, rowId: 0 }, 5)).toHaveLength(1);
});

test('the outcome of a row in a run is its last one up to that run', () => {
  using ledger = openLedger(':temporary:');
  const { outcomes } = ledger;
  const { rowId } = waitingRow(ledger, { key: 'a', runId: 2, callId: 10 });
  const put = (runId: number, status: RowStatus) => {
    const end = { status, reason: null, message: null, match: null, isStale: 0 } as const;
    outcomes.put(runId, [{ rowId, callId: 10, place: 0, answerId: 1, ...end }]);
  };
  put(2, 'matched');
  put(5, 'not_found');
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
