import { statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { measureLedger } from '../../../../src/engine/ledger/care/examine-ledger.ts';
import { careLedger } from './care-ledger.ts';

test('every byte of a ledger is counted once', () => {
  using care = careLedger(500);
  const size = measureLedger(care.path);
  const { bytes } = size;
  expect(Object.values(bytes).reduce((sum, some) => sum + some, 0)).toBe(statSync(care.path).size);
  expect(size.fileBytes).toBe(statSync(care.path).size);
  expect(size).toMatchObject({ answers: 500, calls: 500, aliases: 0, rows: 0, runs: 0 });
  const at = '1970-01-01T00:00:01.000Z';
  expect([size.oldestAnswerAt, size.newestAnswerAt, size.jobs]).toEqual([at, at, []]);
  expect(bytes.answers).toBeGreaterThan(bytes.calls);
});
