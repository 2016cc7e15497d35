import { DossierError } from '../../errors.ts';
import { openInput } from '../../input/open-input.ts';
import { placesOf } from '../../job/places/resolve-places.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import type { ColumnChoice } from '../../records/table-view.ts';

/** What the tables of a job depend on. */
export interface ListOfJob {
  /** The names of the columns of its list. */
  readonly headers: readonly string[];
  /** The columns that its files have; those of a database are all. */
  readonly choice: ColumnChoice;
  /** The schema of its database; undefined where the job names none. */
  readonly schema: string | undefined;
}

export async function readListOfJob(job: ResolvedJob): Promise<ListOfJob> {
  const { path, address, options } = job.input;
  if (path === '-') {
    const message = 'the list of this job is standard input, whose columns only a run knows';
    throw new DossierError('USAGE', message);
  }
  await using input = await openInput(address ?? path, options);
  // Any line of JSON may bring a column.
  if (input.format === 'jsonl') for await (const _ of input.rows);
  const places = placesOf(job);
  const files = places.find((place) => place.kind !== 'postgres') ?? job.output;
  const database = places.find((place) => place.kind === 'postgres');
  return {
    headers: [...input.columns],
    choice: { columns: files.columns, order: files.order ?? 'result-first' },
    schema: database?.schema,
  };
}
