import { describe, expect, test } from 'vitest';
import type { Source } from '../../../../src/core/rules/outcomes.ts';
import { keyedCall } from '../../../../src/engine/ledger/calls/call-key.ts';
import { type Ledger, openLedger } from '../../../../src/engine/ledger/open-ledger.ts';
import { countCalls } from '../../../support/count-run.ts';
import { testJob } from '../../../support/test-job.ts';
import { startTestRun } from '../../../support/test-run.ts';
import { callIdOf, hitWith, putAnswer } from '../support/answers.ts';

const acme = keyedCall('embedded', {
  operation: 'company',
  identifier: { kind: 'fqdn', value: 'acme.com.au' },
  country: 'AU',
});

const hit = hitWith({ body: Buffer.from('{"id":"c_1"}') });

/** An answer completes the call that one row waits for. */
function complete(ledger: Ledger, runId: number, callId: number, id: number, source: Source): void {
  const search = { searchId: null, page: 0 };
  ledger.calls.complete(runId, [{ callId, answer: { id }, source, ...search }]);
  ledger.outcomes.leave(runId, [{ callId, rowId: 1 }]);
}

function wanted(ledger: Ledger, job = 'leads') {
  const { run } = startTestRun(ledger, testJob({ name: job }));
  const callId = callIdOf(ledger, acme);
  ledger.outcomes.wait(run.id, [{ callId, rowId: 1, place: 0 }]);
  return { runId: run.id, callId };
}

test('many calls are wanted as one by one, whoever has asked some of them before', () => {
  using ledger = openLedger(':temporary:');
  const { runId, callId } = wanted(ledger);
  const others = Array.from({ length: 70 }, (_, number) => ({
    key: Buffer.from(`key ${number}`),
    request: `company?abn=${number}&country=AU`,
  }));
  const asked = [...others, acme, ...others.toReversed()];
  const ids = ledger.calls.idsOf(asked);
  expect(ids).toEqual(asked.map((call) => callIdOf(ledger, call)));
  expect(ids[others.length]).toBe(callId);
  expect(new Set(ids).size).toBe(71);

  expect(ledger.calls.countNew(runId, ids)).toBe(70);
  ledger.outcomes.wait(
    runId,
    ids.map((id) => ({ callId: id, rowId: 1, place: 0 })),
  );
  expect(ledger.calls.countNew(runId, ids)).toBe(0);
  const answerId = putAnswer(ledger, callId, hit);
  complete(ledger, runId, callId, answerId, 'reused');
  expect(ledger.calls.countNew(runId, [callId])).toBe(0);
  expect(countCalls(ledger, runId)).toMatchObject({ open: 70, reused: 1 });
});

test('a call that another run has sent is said to be under way', () => {
  using ledger = openLedger(':temporary:');
  const mine = wanted(ledger);
  const theirs = wanted(ledger, 'theirs');
  ledger.calls.setLeased(theirs.runId, [theirs.callId]);
  expect(ledger.calls.leasedElsewhere(mine.runId).get(mine.callId)).toBe(theirs.runId);
  expect(ledger.calls.openCalls({ runId: theirs.runId, after: 0, limit: 10 })).toEqual([]);
  ledger.calls.setLeased(theirs.runId, []);
  expect(ledger.calls.leasedElsewhere(mine.runId).size).toBe(0);
  expect(ledger.calls.openCalls({ runId: theirs.runId, after: 0, limit: 10 })).toHaveLength(1);
});

describe('an answer', () => {
  test('that is damaged serves nobody any more', () => {
    using ledger = openLedger(':temporary:');
    const { callId } = wanted(ledger);
    const other = Buffer.from('a key of 16 byte');
    const answerId = putAnswer(ledger, callId, { ...hit, aliasKeys: other });
    ledger.calls.gatherAliases();
    expect(ledger.calls.aliasAnswer(other, 2_000)?.id).toBe(answerId);
    ledger.calls.discardAnswer(answerId);
    expect(ledger.calls.newestAnswer(callId)).toBeUndefined();
    expect(ledger.calls.aliasAnswer(other, 2_000)).toBeUndefined();
  });

  test('of another call is taken by the next run, too, once it was joined', () => {
    using ledger = openLedger(':temporary:');
    const { runId, callId } = wanted(ledger);
    const elsewhere = callIdOf(ledger, { key: Buffer.from('k'), request: 'company?abn=1' });
    const answerId = putAnswer(ledger, elsewhere, hit);
    complete(ledger, runId, callId, answerId, 'joined');
    expect(ledger.calls.newestAnswer(callId)).toMatchObject({ id: answerId, callId: elsewhere });
  });
});
