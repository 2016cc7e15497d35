import { expect, test } from 'vitest';
import { moveBy } from '../../../../../src/pages/workbench/result/table/grid-keys.ts';

const size = { rows: 100, columns: 5, page: 10 };
const at = { row: 50, column: 2 };
const press = (key: string, ctrlKey = false) => ({ key, ctrlKey, metaKey: false });

test.each([
  ['ArrowDown', false, { row: 51, column: 2 }],
  ['ArrowUp', false, { row: 49, column: 2 }],
  ['ArrowLeft', false, { row: 50, column: 1 }],
  ['ArrowRight', false, { row: 50, column: 3 }],
  ['PageDown', false, { row: 60, column: 2 }],
  ['PageUp', false, { row: 40, column: 2 }],
  ['Home', false, { row: 50, column: 0 }],
  ['End', false, { row: 50, column: 4 }],
  ['Home', true, { row: 0, column: 0 }],
  ['End', true, { row: 99, column: 4 }],
])('%s (with Ctrl: %s) moves as in any grid', (key, ctrl, place) =>
  expect(moveBy(press(key, ctrl), at, size)).toEqual(place),
);

test('above the first row is the head, and nothing is beyond the edges', () => {
  expect(moveBy(press('ArrowUp'), { row: 0, column: 0 }, size)).toEqual({ row: -1, column: 0 });
  expect(moveBy(press('ArrowUp'), { row: -1, column: 0 }, size)).toEqual({ row: -1, column: 0 });
  expect(moveBy(press('PageUp'), { row: 3, column: 0 }, size)).toEqual({ row: 0, column: 0 });
  expect(moveBy(press('ArrowDown'), { row: 99, column: 4 }, size)).toEqual({ row: 99, column: 4 });
  expect(moveBy(press('x'), at, size)).toBeUndefined();
});
