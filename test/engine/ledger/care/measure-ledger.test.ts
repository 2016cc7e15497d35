import { statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { measureLedger } from '../../../../src/engine/ledger/care/examine-ledger.ts';
import { openDatabase } from '../support/answers.ts';
import { careLedger } from './care-ledger.ts';

test('every byte of a ledger is counted once, under what it holds', () => {
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

test('room that was freed inside the file is told as free', () => {
  using care = careLedger(500);
  const before = measureLedger(care.path).bytes;
  {
    using file = openDatabase(care.path);
    file.value.exec('delete from bundle');
  }
  const after = measureLedger(care.path).bytes;
  expect(before.free).toBe(0);
  expect(after.free).toBeGreaterThan(0);
  expect(after.answers + after.free).toBe(before.answers);
});
