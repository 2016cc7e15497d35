import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Choice } from '../choice.ts';
import type { ChangeChoice } from '../use-choice.ts';
import type { GridPlace } from './grid-keys.ts';
import type { ShownRows } from './use-rows.ts';

interface Cursor {
  readonly place: GridPlace;
  /** The user goes to another cell. */
  go(place: GridPlace): void;
}

interface CursorOf {
  readonly rows: ShownRows;
  readonly choice: Choice;
  readonly change: ChangeChoice;
  /** Brings a row into view. */
  readonly show: (row: number) => void;
}

/**
 * The cell that the keyboard is at. Rows that are chosen otherwise begin at the top, unless the user has gone
 * to a row while they were on their way: then, and in a newer run of the list, the cursor stays on its row.
 */
export function useCursor({ rows, choice, change, show }: CursorOf): Cursor {
  const { store, order, narrowing, wanted } = rows;
  const total = store?.page?.total ?? 0;
  const [place, setPlace] = useState<GridPlace>({ row: choice.at ?? 0, column: 0 });
  /** What was drawn last, and the number of the row under the cursor. */
  const drawn = useRef({ order: '', narrowing: '', number: undefined as number | undefined });
  /** The rows that were on their way when the user moved last. */
  const movedFor = useRef('');
  const newest = useRef(order);
  newest.current = order;
  const moves = useRef(0);
  const goToRow = (row: number) => {
    // Who has sorted by the keyboard stays in the head.
    setPlace((before) => (before.row === -1 ? before : { ...before, row }));
    show(row);
  };
  /** The row that was under the cursor or is open may stand elsewhere now. */
  const find = async (number: number) => {
    const [of, moved] = [order, moves.current];
    const at = await rows.locate(number);
    return newest.current === of && moves.current === moved ? { at } : undefined;
  };
  useLayoutEffect(() => {
    const before = drawn.current;
    const isSame = before.order === order;
    const number = isSame ? store?.rowAt(place.row)?.number : before.number;
    drawn.current = { order, narrowing, number };
    if (isSame || order === '') return;
    if (before.order === '') return goToRow(choice.at ?? 0);
    const stays = movedFor.current === order || before.narrowing === narrowing;
    goToRow(stays ? Math.max(0, Math.min(place.row, total - 1)) : 0);
    if (stays && number !== undefined) {
      void find(number).then((found) => found && found.at !== null && goToRow(found.at));
    }
    const { row } = choice;
    if (row !== null) {
      void find(row).then((found) => found && change({ row, at: found.at }, { isStep: false }));
    }
  });
  return {
    place,
    go(next) {
      movedFor.current = wanted;
      moves.current += 1;
      setPlace(next);
    },
  };
}
