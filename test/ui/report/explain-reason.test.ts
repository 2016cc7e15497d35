import { expect, test } from 'vitest';
import { rejectCatalog, rejectCodes } from '../../../src/core/identify/identifier.ts';
import { explainReason } from '../../../src/ui/report/report-data.ts';

const tally = { status: 'invalid', reason: 'blank', rows: 3, examples: [] } as const;

test.each(rejectCodes)('%s is told with what to do about it', (reason) => {
  const { message, fix } = rejectCatalog[reason];
  expect(explainReason({ ...tally, reason })).toMatchObject({ message, fix, rows: 3 });
});

test.each([
  ...['not_found', 'refused_by_service', 'oversized', 'service_failed'],
  'damaged_answer',
])('%s, which only asking shows, has a sentence and a remedy', (reason) => {
  const { message, fix } = explainReason({ ...tally, reason });
  expect(message).toMatch(/^[A-Z].*\.$/);
  expect(fix).toMatch(/^[A-Z].*\.$/);
});

const withMessage = (message: string) => (row: number) => ({
  ...{ row, input: 'a', cell: 'ABN: 1', message },
});

test('what the service said about a row is told with the row', () => {
  const message = 'The ABN is cancelled.';
  const example = { row: 7, input: 'a', cell: 'ABN: 1' };
  const of = (reason: string) =>
    explainReason({ ...tally, reason, examples: [7] }, withMessage(message)).examples;
  expect(of('refused_by_service')).toEqual([{ ...example, message }]);
  expect(of('blank')).toEqual([{ ...example, message: null }]);
});

test('a reason that nobody foresaw is told in the words of its first row', () => {
  const facts = explainReason(
    { ...tally, reason: 'constructor', examples: [7] },
    withMessage('Odd.'),
  );
  expect(facts).toMatchObject({ message: 'Odd.', fix: '', examples: [{ row: 7, input: 'a' }] });
});
