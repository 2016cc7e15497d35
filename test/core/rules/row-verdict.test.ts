import { expect, test } from 'vitest';
import type { Match, Outcome, Source } from '../../../src/core/rules/outcomes.ts';
import { type RowVerdict, verdictFor } from '../../../src/core/rules/row-verdict.ts';

type Verdict = readonly [RowVerdict['status'], RowVerdict['reason'], RowVerdict['next']];
const found: Verdict = ['matched', null, 'people'];
const mismatched: Verdict = ['not_found', 'mismatch', 'candidate'];

test.each<[Outcome, Match | null, Source, 'keep' | 'reject', Verdict]>([
  ['hit', 'exact', 'called', 'reject', found],
  ['hit', 'unverified', 'called', 'reject', found],
  ['hit', 'mismatch', 'called', 'keep', found],
  ['hit', 'mismatch', 'called', 'reject', mismatched],
  ['hit', 'mismatch', 'reused', 'reject', mismatched],
  // The match is that of the call which brought the answer, not of the one that it joins.
  ['hit', 'mismatch', 'joined', 'reject', found],
  ['miss', null, 'called', 'keep', ['not_found', 'not_found', 'candidate']],
  ['invalid', null, 'called', 'keep', ['invalid', 'refused_by_service', 'candidate']],
  ['oversized', null, 'called', 'keep', ['failed', 'oversized', undefined]],
  ['failed', null, 'called', 'keep', ['failed', 'service_failed', undefined]],
])('%s, %s, %s, on mismatch %s', (outcome, match, source, onMismatch, expected) => {
  const { status, reason, next } = verdictFor({ outcome, match }, source, onMismatch);
  expect([status, reason, next]).toEqual(expected);
});

test('a row that gets the answer of another call says so', () => {
  expect(verdictFor({ outcome: 'hit', match: 'mismatch' }, 'joined', 'keep').match).toBe('joined');
});
