import { cleanCell, isBlank } from '../../../../core/identify/clean-cell.ts';
import type { Fixes, TableRow } from '../../../workbench/api/answers.ts';

/** The column with the cell that the reason of a row is about. */
export function wrongColumn(
  { fixes: { columns } }: { readonly fixes: Fixes },
  { about, status, reason }: TableRow,
  textOf: (name: string) => string,
) {
  const shown = columns.find(({ name }) => name === about?.name);
  if (shown) return shown;
  if (reason === 'unsupported_country') return columns.find(({ isCountry }) => isCountry);
  // A name that was found misses by an identifier that no cell has.
  const isOfName = status === 'not_found' || reason?.startsWith('name_');
  const named = isOfName ? columns.find(({ isName }) => isName) : undefined;
  const isFilled = ({ name }: { name: string }) => !isBlank(cleanCell(textOf(name)));
  const identifiers = columns.filter(({ isCountry }) => !isCountry);
  return named ?? identifiers.find(isFilled) ?? identifiers[0];
}
