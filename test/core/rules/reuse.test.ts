import { describe, expect, test } from 'vitest';
import type { CallResultKind } from '../../../src/core/rules/outcomes.ts';
import { chooseCached, type ReuseTerms } from '../../../src/core/rules/reuse.ts';
import type { KnownAnswer } from '../../../src/engine/ledger/calls/answers.ts';
import { day } from '../../support/test-job.ts';

const now = 1_000 * day;
const reuse: ReuseTerms = {
  companiesMs: 30 * day,
  missesMs: 7 * day,
  peopleMs: 2 * day,
  spread: 0,
  staleOnFailureMs: 0,
};

function answer(result: CallResultKind, ageMs: number): KnownAnswer {
  const facts = { id: 1, callId: 1, message: null, companyId: null, match: null };
  return { ...facts, result, fetchedAt: now - ageMs };
}

interface Given {
  readonly operation?: 'company' | 'people';
  readonly newest?: KnownAnswer | undefined;
  readonly isNewestFromAlias?: boolean;
  readonly alias?: KnownAnswer;
  readonly terms?: ReuseTerms;
  readonly paidSince?: number;
}

function sourceFor({
  operation = 'company',
  newest,
  isNewestFromAlias = false,
  alias,
  ...given
}: Given) {
  const { terms = reuse, paidSince = now } = given;
  return chooseCached({
    operation,
    key: Buffer.alloc(16),
    newest,
    isNewestFromAlias,
    reuse: terms,
    asOf: now,
    paidSince,
    findAlias: () => alias,
  })?.source;
}

describe('hits, misses and people each have their own age', () => {
  test.each<['company' | 'people', CallResultKind, number, string | undefined]>([
    ['company', 'hit', 29 * day, 'reused'],
    ['company', 'hit', 30 * day, undefined],
    ['company', 'miss', 6 * day, 'reused'],
    ['company', 'miss', 7 * day, undefined],
    ['company', 'oversized', 6 * day, 'reused'],
    ['people', 'hit', day, 'reused'],
    ['people', 'hit', 2 * day, undefined],
    ['people', 'miss', 6 * day, 'reused'],
    ['people', 'invalid', 1, undefined],
  ])('%s %s after %i ms', (operation, outcome, ageMs, source) => {
    expect(sourceFor({ operation, newest: answer(outcome, ageMs) })).toBe(source);
  });

  test('answers that the run paid for are fresh, even if nothing may be reused', () => {
    const terms = { ...reuse, companiesMs: 0, missesMs: 0, peopleMs: 0 };
    const paidSince = now - 40 * day;
    expect(sourceFor({ newest: answer('hit', 40 * day), terms, paidSince })).toBe('reused');
    expect(sourceFor({ newest: answer('hit', 40 * day + 1), terms, paidSince })).toBeUndefined();
    expect(sourceFor({ newest: answer('hit', 0), terms })).toBe('reused');
    expect(sourceFor({ newest: answer('hit', 1), terms })).toBeUndefined();
  });

  test('forever is forever', () => {
    const terms = { ...reuse, companiesMs: Number.POSITIVE_INFINITY };
    expect(sourceFor({ newest: answer('hit', 900 * day), terms })).toBe('reused');
  });
});

test.each<[string, KnownAnswer | undefined, number, string | undefined]>([
  ['its own fresh hit first', answer('hit', day), 0, 'reused'],
  ["its own miss before another identifier's hit", answer('miss', day), day, 'reused'],
  ["another identifier's hit before its own old miss", answer('miss', 8 * day), day, 'joined'],
  ["another identifier's hit before its own old hit", answer('hit', 31 * day), day, 'joined'],
  ["its own miss when the other identifier's hit is old", answer('miss', day), 31 * day, 'reused'],
  ["another identifier's hit where it was never asked", undefined, day, 'joined'],
  ['nothing where all is old', answer('hit', 31 * day), 31 * day, undefined],
])('a call takes %s', (_, newest, ageOfAlias, source) => {
  expect(sourceFor({ newest, alias: answer('hit', ageOfAlias) })).toBe(source);
});

test('an answer that joined the call before joins it again', () => {
  const newest = answer('hit', day);
  expect(sourceFor({ newest, isNewestFromAlias: true, alias: answer('hit', 0) })).toBe('joined');
  // Another company has come to carry the identifier since.
  expect(sourceFor({ newest, isNewestFromAlias: true })).toBeUndefined();
});

test('a call that had brought another company is made again', () => {
  const newest = { ...answer('hit', 31 * day), companyId: 'c_9' };
  expect(sourceFor({ newest, alias: answer('hit', 0) })).toBeUndefined();
});

test('a page of people has no other identifier to be answered under', () => {
  const alias = answer('hit', 0);
  expect(sourceFor({ operation: 'people', alias })).toBeUndefined();
});
