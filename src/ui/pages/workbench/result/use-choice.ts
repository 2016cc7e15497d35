import type { TableColumn } from '../../../workbench/api/rows.ts';
import { paramsAt, putParams, useParams, viewAddress } from '../shell/address.ts';
import { type Choice, choiceIn, paramsOf } from './choice.ts';

export type ChangeChoice = (part: Partial<Choice>, change?: { readonly isStep: boolean }) => void;

export function useChoice(): readonly [Choice, ChangeChoice] {
  return [choiceIn(useParams()), changeChoice];
}

export const changeChoice: ChangeChoice = (part, { isStep } = { isStep: true }) => {
  // Other rows, or rows in another order, are shown from the first.
  const isOther = ['search', 'facets', 'sort', 'isDescending', 'size'].some((key) => key in part);
  // From the address and not from the last drawing: two changes may come before the next one.
  const before = choiceIn(paramsAt(viewAddress()));
  putParams(paramsOf({ ...before, ...(isOther && { page: 1 }), ...part }), { isStep });
};

/** Ascending, then descending, then as in the list. */
export function sortBy({ name, isSortable }: TableColumn, { sort, isDescending }: Choice): void {
  if (!isSortable) return;
  if (sort !== name) changeChoice({ sort: name, isDescending: false });
  else if (isDescending) changeChoice({ sort: null, isDescending: false });
  else changeChoice({ isDescending: true });
}
