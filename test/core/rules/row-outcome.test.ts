import { expect, test } from 'vitest';
import { rowOutcomeFor } from '../../../src/core/rules/row-outcome.ts';

test.each([
  ['hit', 'called', 'matched', null, 'people'],
  ['hit', 'joined', 'matched', null, 'people'],
  ['miss', 'reused', 'not_found', 'not_found', 'candidate'],
  ['invalid', 'called', 'invalid', 'refused_by_service', 'candidate'],
  ['oversized', 'called', 'failed', 'oversized', undefined],
  ['unreadable', 'reused', 'failed', 'unreadable', undefined],
  ['failed', 'called', 'failed', 'service_failed', undefined],
] as const)('a %s that was %s makes its row %s', (result, source, status, reason, next) => {
  const match = source === 'joined' ? 'joined' : null;
  expect(rowOutcomeFor({ result }, source)).toMatchObject({ status, reason, next, match });
});
