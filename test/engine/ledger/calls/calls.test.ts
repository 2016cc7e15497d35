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

test('who asks the same shares the call, and a run wants it once', () => {
  using ledger = openLedger(':temporary:');
  const { runId, callId } = wanted(ledger);
  expect(callIdOf(ledger, acme)).toBe(callId);
  expect(ledger.calls.countNew(runId, [callId])).toBe(0);
  expect(countCalls(ledger, runId)).toMatchObject({ open: 1, leased: 0, called: 0 });
});

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

test('a call that was sent and not answered is doubtful after a crash of its job only', () => {
  using ledger = openLedger(':temporary:');
  const { runId, callId } = wanted(ledger);
  ledger.calls.setLeased(runId, [callId]);
  ledger.calls.recover('another-job');
  expect(countCalls(ledger, runId)).toMatchObject({ open: 0, leased: 1, doubtful: 0 });
  ledger.calls.recover('leads');
  expect(countCalls(ledger, runId)).toMatchObject({ open: 1, leased: 0, doubtful: 1 });
  expect(ledger.calls.doubtful(runId)).toEqual(['company?country=AU&fqdn=acme.com.au']);
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
  test('is at hand with its body for everybody', () => {
    using ledger = openLedger(':temporary:');
    const { runId, callId } = wanted(ledger);
    const answerId = putAnswer(ledger, callId, hit);
    complete(ledger, runId, callId, answerId, 'called');
    expect(ledger.calls.newestAnswer(callId)).toMatchObject({ id: answerId, outcome: 'hit' });
    expect(ledger.calls.completion(runId, callId)).toMatchObject({ source: 'called' });
    expect(String(ledger.calls.body(answerId))).toBe('{"id":"c_1"}');
    expect(countCalls(ledger, runId)).toMatchObject({ open: 0, called: 1, failed: 0 });
  });

  test('stays at hand when asking again fails, and the failure is counted', () => {
    using ledger = openLedger(':temporary:');
    const { runId, callId } = wanted(ledger);
    const paid = putAnswer(ledger, callId, hit);
    const failure = { ...hit, outcome: 'failed', companyId: null, body: null } as const;
    const failed = putAnswer(ledger, callId, failure);
    complete(ledger, runId, callId, failed, 'called');
    expect(ledger.calls.newestAnswer(callId)?.id).toBe(paid);
    expect(ledger.calls.body(failed)).toBeUndefined();
    expect(countCalls(ledger, runId)).toMatchObject({ called: 1, failed: 1 });
  });

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
