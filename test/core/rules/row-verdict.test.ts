import { expect, test } from 'vitest';
import type { Outcome, Source } from '../../../src/core/rules/outcomes.ts';
import { type RowVerdict, verdictFor } from '../../../src/core/rules/row-verdict.ts';

test.each<[Outcome, Source, Partial<RowVerdict>]>([
  ['hit', 'called', { status: 'matched', reason: null, match: null, next: 'people' }],
  ['hit', 'joined', { status: 'matched', reason: null, match: 'joined', next: 'people' }],
  ['miss', 'called', { status: 'not_found', reason: 'not_found', next: 'candidate' }],
  ['invalid', 'called', { status: 'invalid', reason: 'refused_by_service', next: 'candidate' }],
  ['oversized', 'called', { status: 'failed', reason: 'oversized', next: undefined }],
  ['failed', 'called', { status: 'failed', reason: 'service_failed', next: undefined }],
])('a %s that was %s', (outcome, source, verdict) => {
  expect(verdictFor({ outcome }, source)).toMatchObject(verdict);
});
