import type { TableColumn } from '../../../workbench/api.ts';
import { currentParams, putParams, useParams } from '../route.ts';
import { type Choice, choiceIn, paramsOf } from './choice.ts';

export function useChoice(): Choice {
  return choiceIn(useParams());
}

/** A step is what the back button undoes. */
export function changeChoice(part: Partial<Choice>, isStep = true): void {
  // Other rows, or rows in another order, are shown from the first.
  const isOther = ['search', 'facets', 'sort', 'isDescending', 'size'].some((key) => key in part);
  // From the address and not from the last drawing: two changes may come before the next one.
  const before = choiceIn(currentParams());
  putParams(paramsOf({ ...before, ...(isOther && { page: 1 }), ...part }), isStep);
}

/** Ascending, then descending, then as in the list. */
export function sortBy({ name, isSortable }: TableColumn, { sort, isDescending }: Choice): void {
  if (!isSortable) return;
  if (sort !== name) changeChoice({ sort: name, isDescending: false });
  else changeChoice(isDescending ? { sort: null, isDescending: false } : { isDescending: true });
}

/** Chooses a value of a facet, or takes it away. */
export function toggle({ facets }: Choice, name: string, value: string): void {
  const { [name]: before = [], ...rest } = facets;
  const values = before.includes(value)
    ? before.filter((one) => one !== value)
    : [...before, value];
  changeChoice({ facets: values.length === 0 ? rest : { ...rest, [name]: values } });
}
