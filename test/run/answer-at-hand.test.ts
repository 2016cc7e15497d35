import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../src/ledger/answers.ts';
import { keyedCall } from '../../src/ledger/call-key.ts';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { answerAtHand } from '../../src/run/answer-at-hand.ts';
import type { RunContext } from '../../src/run/run-context.ts';
import { type AnswerFacts, putAnswer } from '../ledger/support/answers.ts';
import { day, testJob } from '../support/test-job.ts';
import { startTestRun } from '../support/test-run.ts';

const now = 1_000 * day;
const job = testJob({ reuse: { companiesMs: 30 * day, missesMs: 7 * day, peopleMs: 2 * day } });
const acme = keyedCall(job.service.url, {
  operation: 'company',
  identifier: { kind: 'fqdn', value: 'acme.com.au' },
  country: 'AU',
});

function answer(outcome: Outcome, ageMs: number): AnswerFacts {
  const facts = { status: 200, message: null, companyId: null, match: null, body: null };
  return { ...facts, outcome, attempts: 1, durationMs: 1, fetchedAt: now - ageMs };
}

function atHand(operation: 'company' | 'people', given: AnswerFacts, reuse = job.reuse) {
  using ledger = openLedger(':temporary:');
  const context = startTestRun(ledger, { ...job, reuse }, now);
  const callId = ledger.calls.idOf(acme);
  putAnswer(ledger, callId, given);
  return sourceOf(context, callId, operation);
}

function sourceOf(context: RunContext, callId: number, operation: 'company' | 'people') {
  const own = context.ledger.calls.newestAnswer(callId);
  return answerAtHand(context, { callId, request: acme.request }, operation, own)?.source;
}

describe('hits, misses and people have ages of their own', () => {
  test.each<['company' | 'people', Outcome, number, string | undefined]>([
    ['company', 'hit', 29 * day, 'reused'],
    ['company', 'hit', 30 * day, undefined],
    ['company', 'miss', 6 * day, 'reused'],
    ['company', 'miss', 7 * day, undefined],
    ['company', 'invalid', 6 * day, 'reused'],
    ['company', 'failed', 0, undefined],
    ['people', 'hit', day, 'reused'],
    ['people', 'hit', 2 * day, undefined],
    ['people', 'miss', 6 * day, 'reused'],
    ['people', 'invalid', 1, undefined],
  ])('%s %s after %i ms', (operation, outcome, ageMs, source) => {
    expect(atHand(operation, answer(outcome, ageMs))).toBe(source);
  });

  test('what came since the run began is fresh, even where nothing may be reused', () => {
    const never = { companiesMs: 0, missesMs: 0, peopleMs: 0 };
    expect(atHand('company', answer('hit', 0), never)).toBe('reused');
    expect(atHand('company', answer('hit', 1), never)).toBeUndefined();
    expect(atHand('company', answer('failed', -5), never)).toBeUndefined();
  });

  test('forever is forever', () => {
    const forever = { ...job.reuse, companiesMs: Number.POSITIVE_INFINITY };
    expect(atHand('company', answer('hit', 900 * day), forever)).toBe('reused');
  });
});

test.each<[string, AnswerFacts | undefined, number, string | undefined]>([
  ['its own fresh hit first', answer('hit', day), 0, 'reused'],
  ["another name's hit before its own miss", answer('miss', day), day, 'joined'],
  ["another name's hit before its own old hit", answer('hit', 31 * day), day, 'joined'],
  ["its own miss when the other name's hit is old", answer('miss', day), 31 * day, 'reused'],
  ["another name's hit where it was never asked", undefined, day, 'joined'],
  ['nothing where all is old', answer('hit', 31 * day), 31 * day, undefined],
])('a call takes %s', (_, own, ageOfOther, source) => {
  using ledger = openLedger(':temporary:');
  const context = startTestRun(ledger, job, now);
  const callId = ledger.calls.idOf(acme);
  if (own) putAnswer(ledger, callId, own);
  const other = ledger.calls.idOf({ key: Buffer.from('other'), request: 'company?abn=1' });
  putAnswer(ledger, other, { ...answer('hit', ageOfOther), aliasKeys: acme.key });
  ledger.calls.gatherAliases();
  expect(sourceOf(context, callId, 'company')).toBe(source);
});
