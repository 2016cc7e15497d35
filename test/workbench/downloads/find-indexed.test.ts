import { expect, test } from 'vitest';
import { findIndexed } from '../../../src/workbench/downloads/find-indexed.ts';
import type { FoundRows } from '../../../src/workbench/rows/read-records.ts';

const half = { isWhole: false, share: 0.5, trouble: null };
const whole = { isWhole: true, share: 1, trouble: null };
const { signal } = new AbortController();

function finding(...answers: FoundRows['index'][]) {
  const left = answers.map((index, at) => ({
    run: 1,
    hasPeople: false,
    numbers: Int32Array.of(at),
    index,
  }));
  return async () => left.shift() ?? Promise.reject(new Error('asked too often'));
}

test('rows are found when each of them is in the index, and not before', async () => {
  const { numbers } = await findIndexed(finding(half, half, whole), signal);
  expect([...numbers]).toEqual([2]);
  expect([...(await findIndexed(finding(null), signal)).numbers]).toEqual([0]);
});

test('without an index the trouble is told', async () => {
  const find = finding({ ...half, trouble: 'the disk is full' });
  await expect(findIndexed(find, signal)).rejects.toThrow('the disk is full');
});
