import { expect, test, vi } from 'vitest';
import { openRowStore } from '../../../../../src/pages/workbench/result/table/row-store.ts';
import type { RowsPage, TableRow } from '../../../../../src/workbench/api/rows.ts';

function pageAt(offset: number, key = 'first'): RowsPage {
  const row = (number: number): TableRow => ({
    ...{ number, key, status: 'open', reason: null, reasonText: null, match: null },
    ...{ isStale: false, isMismatch: false, isChanged: null, cells: [] },
  });
  return {
    ...{ run: 'r1', all: 1_000, total: 1_000, offset, foundAt: null, columns: [] },
    index: { isWhole: true, share: 1, trouble: null },
    rows: Array.from({ length: 100 }, (_, at) => row(offset + at + 1)),
  };
}

test('rows that are looked at are loaded, each stretch once', async () => {
  const asked: number[] = [];
  const store = openRowStore(async (offset) => {
    asked.push(offset);
    return pageAt(offset);
  }, vi.fn());
  store.want(0, 40);
  store.want(80, 120);
  await vi.waitFor(() => expect(store.rowAt(119)?.number).toBe(120));
  store.want(60, 110);
  expect(asked).toEqual([0, 100]);
  expect(store.rowAt(500)).toBeUndefined();
});

test('what was scrolled past is not waited for', async () => {
  const left: number[] = [];
  const store = openRowStore(async (offset, signal) => {
    signal.addEventListener('abort', () => left.push(offset));
    await new Promise((resolve) => setTimeout(resolve, offset === 900 ? 0 : 1_000_000).unref());
    return pageAt(offset);
  }, vi.fn());
  for (const first of [0, 300, 900]) store.want(first, first + 40);
  await vi.waitFor(() => expect(store.rowAt(900)?.number).toBe(901));
  expect(left).toEqual([0, 300]);
  expect(store.isLoading).toBe(false);
});

test('rows stay while newer ones are loaded', async () => {
  let key = 'first';
  let answer = Promise.resolve();
  const store = openRowStore(async (offset) => {
    await answer;
    return pageAt(offset, key);
  }, vi.fn());
  store.want(0, 40);
  await vi.waitFor(() => expect(store.rowAt(0)?.key).toBe('first'));
  const gate = Promise.withResolvers<void>();
  answer = gate.promise;
  key = 'second';
  store.refresh();
  expect(store.rowAt(0)?.key).toBe('first');
  gate.resolve();
  await vi.waitFor(() => expect(store.rowAt(0)?.key).toBe('second'));
});

test('a server that refuses is asked again only when the user wants it', async () => {
  const load = vi.fn(async () => {
    throw new Error('gone');
  });
  const store = openRowStore(load, vi.fn());
  store.want(0, 40);
  await vi.waitFor(() => expect(store.problem?.message).toBe('gone'));
  store.want(0, 40);
  expect(load).toHaveBeenCalledTimes(1);
  store.refresh();
  expect(load).toHaveBeenCalledTimes(2);
});
