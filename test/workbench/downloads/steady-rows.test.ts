import { expect, test } from 'vitest';
import { RowsMoved, steadyRows } from '../../../src/workbench/downloads/steady-rows.ts';
import type { RecordsPage } from '../../../src/workbench/rows/read-records.ts';

const whole = { isWhole: true, share: 1, trouble: null };
const half = { isWhole: false, share: 0.5, trouble: null };

function reading(...pages: Partial<RecordsPage>[]) {
  const left = pages.map((page) => ({
    ...{ run: 'r1', index: whole, total: 700, columns: [], records: [] },
    ...page,
  }));
  return steadyRows(async () => left.shift() ?? Promise.reject(new Error('read too often')));
}

test('rows are read when each of them is in the index, and not before', async () => {
  const read = reading({ index: half, total: 3 }, { index: half, total: 20 }, {}, {});
  expect((await read(0)).total).toBe(700);
  expect((await read(500)).total).toBe(700);
});

test('rows that became others while they were read are not put together', async () => {
  const grown = reading({}, { total: 701 });
  await grown(0);
  await expect(grown(500)).rejects.toBeInstanceOf(RowsMoved);
  const another = reading({}, { run: 'r2' });
  await another(0);
  await expect(another(500)).rejects.toBeInstanceOf(RowsMoved);
});

test('without an index the trouble is told', async () => {
  const read = reading({ index: { ...half, trouble: 'the disk is full' } });
  await expect(read(0)).rejects.toThrow('the disk is full');
});
