import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  blockOf,
  columnsInView,
  layOut,
  wantedColumns,
} from '../../../../../src/pages/workbench/result/table/column-layout.ts';
import type { TableColumn } from '../../../../../src/workbench/api/rows.ts';

const columnsOf = (count: number): TableColumn[] =>
  Array.from({ length: count }, (_, at) => ({
    ...{ name: `c${at}`, label: `c${at}`, about: '', group: 'Your list', type: 'text' },
    ...{ isOfList: true, isSortable: true },
  }));

test('the cells of every column in view are asked for, however wide the list is', () => {
  const cases = fc.record({
    count: fc.integer({ min: 1, max: 3_000 }),
    pinned: fc.integer({ min: 0, max: 2 }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    width: fc.integer({ min: 200, max: 4_000 }),
  });
  fc.assert(
    fc.property(cases, ({ count, pinned, share, width }) => {
      const columns = columnsOf(count);
      const layout = layOut(columns, { c3: 64 }, pinned);
      const left = Math.round(share * Math.max(0, layout.width - width));
      const inView = columnsInView(layout, { left, width });
      const wanted = wantedColumns(columns, pinned, blockOf(inView));
      const names = new Set(wanted);
      const isRight = layout.columns.every((placed) => {
        const isSeen = placed.left + placed.width >= left && placed.left <= left + width;
        return inView.includes(placed) === (placed.isPinned || isSeen);
      });
      expect([isRight, inView.every(({ column }) => names.has(column.name))]).toEqual([true, true]);
      expect([wanted.length <= 260, names.size === wanted.length]).toEqual([true, true]);
    }),
  );
});
