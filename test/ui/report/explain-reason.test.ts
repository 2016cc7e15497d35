import { expect, test } from 'vitest';
import { explainReason } from '../../../src/ui/report/report-data.ts';

const example = { row: 7, rowText: 'a', identifier: 'ABN: 1' };

const explained = (reason: string, message = '') =>
  explainReason({ status: 'invalid', reason, rows: 3, examples: [7] }, () => ({
    ...example,
    message,
  }));

test.each([
  ...['blank', 'not_found', 'refused_by_service', 'kind_not_taken', 'oversized', 'service_failed'],
  ...['damaged_answer', 'suppressed', 'expired'],
])('%s has a sentence and a remedy', (reason) => {
  const { message, fix } = explained(reason);
  expect(message).toMatch(/^[A-Z].*\.$/);
  expect(fix).toMatch(/^[A-Z].*\.$/);
});

test('what the service said about a row is told with the row, or for a reason nobody foresaw', () => {
  const message = 'The ABN is cancelled.';
  expect(explained('refused_by_service', message).examples).toEqual([{ ...example, message }]);
  expect(explained('blank', message).examples).toEqual([{ ...example, message: null }]);
  expect(explained('constructor', message)).toMatchObject({ message, fix: '' });
});
