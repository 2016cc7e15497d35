import { DossierError } from '../../errors.ts';

/** Counts what the pages take that are open at once, one of each column. */
export interface HeldBytes {
  /** Replaces what the column had before. */
  hold(column: object, bytes: number): void;
}

const mebibyte = 1024 * 1024;

/** Refuses a file whose pages do not fit into `most` together, before they are read. */
export function openHeldBytes(name: string, most: number): HeldBytes {
  const held = new Map<object, number>();
  let total = 0;
  return {
    hold(column, bytes) {
      total += bytes - (held.get(column) ?? 0);
      held.set(column, bytes);
      if (total <= most) return;
      throw new DossierError(
        'INPUT_UNREADABLE',
        `${name} would take more than ${most / mebibyte} MB of memory: its pages are too large to be read side by side. Write it with smaller row groups or pages, or as CSV`,
      );
    },
  };
}
