import type { TableColumn } from '../../../../workbench/api/rows.ts';
import type { Choice } from '../choice.ts';
import type { ChangeChoice } from '../use-choice.ts';

/** Ascending, then descending, then as in the list. */
export function sortBy(
  { name, isSortable }: TableColumn,
  choice: Choice,
  change: ChangeChoice,
): void {
  if (!isSortable) return;
  if (choice.sort !== name) change({ sort: name, isDescending: false });
  else if (choice.isDescending) change({ sort: null, isDescending: false });
  else change({ isDescending: true });
}
