import { expect, test } from 'vitest';
import { moveBy } from '../../../../../src/ui/pages/workbench/result/grid-keys.ts';

const size = { rows: 100, columns: 5 };
const at = { row: 50, column: 2 };
const press = (key: string, ctrlKey = false) => ({ key, ctrlKey, metaKey: false });

test.each([
  ['ArrowDown', false, { row: 51 }],
  ['ArrowUp', false, { row: 49 }],
  ['ArrowLeft', false, { column: 1 }],
  ['ArrowRight', false, { column: 3 }],
  ['Home', false, { column: 0 }],
  ['End', false, { column: 4 }],
  ['Home', true, { row: 0, column: 0 }],
  ['End', true, { row: 99, column: 4 }],
])('%s (with Ctrl: %s) moves as in any grid', (key, ctrl, moved) =>
  expect(moveBy(press(key, ctrl), at, size)).toEqual({ ...at, ...moved, turn: 0 }),
);

test('above the first row is the head, and below the last the next page', () => {
  const head = { row: -1, column: 0 };
  expect(moveBy(press('ArrowUp'), { row: 0, column: 0 }, size)).toEqual({ ...head, turn: 0 });
  expect(moveBy(press('ArrowUp'), head, size)).toEqual({ ...head, turn: 0 });
  expect(moveBy(press('ArrowDown'), { row: 99, column: 4 }, size)).toEqual({
    row: 0,
    column: 4,
    turn: 1,
  });
  expect(moveBy(press('PageDown'), at, size)).toMatchObject({ turn: 1 });
  expect(moveBy(press('PageUp'), at, size)).toMatchObject({ turn: -1 });
  expect(moveBy(press('x'), at, size)).toBeUndefined();
});
