import type { TableColumn } from '../../../workbench/api/answers.ts';
import { currentParams, putParams, useParams } from '../route.ts';
import { type Choice, choiceIn, paramsOf } from './choice.ts';

export function useChoice(): Choice {
  return choiceIn(useParams());
}

/** If `isStep` is true, the back button undoes the change. */
export function changeChoice(part: Partial<Choice>, isStep = true): void {
  const changesRows = ['search', 'facets', 'sort', 'isDescending', 'size'].some(
    (key) => key in part,
  );
  // Reads the address bar, because two changes may come before a redraw.
  const before = choiceIn(currentParams());
  putParams(paramsOf({ ...before, ...(changesRows && { page: 1 }), ...part }), isStep);
}

export function sortBy({ name, isSortable }: TableColumn, { sort, isDescending }: Choice): void {
  if (!isSortable) return;
  if (sort !== name) changeChoice({ sort: name, isDescending: false });
  else changeChoice(isDescending ? { sort: null, isDescending: false } : { isDescending: true });
}

export function toggle({ facets }: Choice, name: string, several: readonly string[]): void {
  const { [name]: before = [], ...rest } = facets;
  const others = before.filter((one) => !several.includes(one));
  const values = others.length < before.length ? others : [...before, ...several];
  changeChoice({ facets: values.length === 0 ? rest : { ...rest, [name]: values } });
}
