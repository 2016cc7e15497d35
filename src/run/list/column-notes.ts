import type { RowPlan } from '../../identify/identify-row.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { maxNameBytes } from '../../records/columns/columns.ts';
import { renamedInputs } from '../../records/columns/row-columns.ts';

/** Says which columns were detected: a wrong one would cost a call for every row. */
export function columnNotes(
  job: Pick<ResolvedJob, 'identify'>,
  columns: readonly string[],
  { identify, country }: RowPlan,
): string[] {
  if (job.identify || identify.length === 0) return [];
  const nameOf = (index: number) => JSON.stringify(columns[index] ?? `column_${index + 1}`);
  const found = identify.map(({ index, as }) => `${nameOf(index)} (${as})`).join(', then ');
  const where = country.index === undefined ? '' : `, in the country of ${nameOf(country.index)}`;
  return [`Companies are identified by ${found}${where}; --column names others.`];
}

const toldNames = 3;
const toldCharacters = 40;

/** Says which columns of the list have a name in the results that their own would not lead to. */
export function nameNotes(columns: readonly string[]): string[] {
  const renamed = renamedInputs(columns);
  if (renamed.length === 0) return [];
  const told = renamed
    .slice(0, toldNames)
    .map(({ header, name }) => `${JSON.stringify(shortened(header))} is ${name}`);
  const more = renamed.length > toldNames ? [`${renamed.length - toldNames} more`] : [];
  return [
    `Columns of the results have names of at most ${maxNameBytes} bytes that differ: ${[...told, ...more].join(', ')}.`,
  ];
}

/** A header may be a whole question. */
function shortened(header: string): string {
  const characters = [...header];
  if (characters.length <= toldCharacters) return header;
  return `${characters.slice(0, toldCharacters).join('').trimEnd()}…`;
}
