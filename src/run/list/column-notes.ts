import type { RowPlan } from '../../identify/identify-row.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';

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
