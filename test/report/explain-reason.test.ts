import { expect, test } from 'vitest';
import { rejectCatalog, rejectCodes } from '../../src/identify/rejects.ts';
import { explainReason } from '../../src/report/explain-reason.ts';

const tally = { status: 'invalid', reason: 'blank', rows: 3, examples: [] } as const;

test.each(rejectCodes)('%s is told with what to do about it', (reason) => {
  const { message, fix } = rejectCatalog[reason];
  expect(explainReason({ ...tally, reason })).toMatchObject({ message, fix, rows: 3 });
});

test.each([
  ...['not_found', 'mismatch', 'refused_by_service', 'oversized', 'service_failed'],
  'damaged_answer',
])('%s, which only asking shows, has a sentence and a remedy', (reason) => {
  const { message, fix } = explainReason({ ...tally, reason });
  expect(message).toMatch(/^[A-Z].*\.$/);
  expect(fix).toMatch(/^[A-Z].*\.$/);
});

test('what the service said about a row is told with the row', () => {
  const message = 'The ABN is cancelled.';
  const examples = [{ row: 7, status: 'invalid', input: 'a', message }] as const;
  const said = explainReason({ ...tally, reason: 'refused_by_service', examples });
  expect(said.examples).toEqual([{ row: 7, input: 'a', message }]);
  const known = explainReason({ ...tally, reason: 'blank', examples });
  expect(known.examples).toEqual([{ row: 7, input: 'a' }]);
});

test('a reason that nobody foresaw is told in the words of its first row', () => {
  const examples = [{ row: 7, status: 'failed', input: '', message: 'Odd.' }] as const;
  const facts = explainReason({ ...tally, reason: 'constructor', examples });
  expect(facts).toMatchObject({ message: 'Odd.', fix: '', examples: [{ row: 7, input: '' }] });
});
