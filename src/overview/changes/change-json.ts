import { z } from 'zod';
import { type ChangeOp, changeOps, noChanges } from '../../records/changes.ts';
import type { RecordedChange } from '../../records/table-columns.ts';
import { jsonText } from '../../runtime/json/json-text.ts';

const cells = (about: string) => z.record(z.string(), z.unknown()).nullable().describe(about);

/** What `changes --json` prints, one a line. */
export const ChangeJson = z
  .strictObject({
    op: z.enum(changeOps).describe('What happened.'),
    row_key: z
      .string()
      .describe('Key of the row; of a person, of the first row that led to the company.'),
    row_number: z
      .int()
      .nullable()
      .describe('Number of that row in the later run; of a removed row, in the earlier one.'),
    company_id: z.string().nullable().describe('The company of the row, or the one that it had.'),
    company_name: z.string().nullable().describe('Its name.'),
    country: z.string().nullable().describe('Country that was asked about.'),
    person_id: z.string().nullable().describe('The person; null where a row changed.'),
    columns: z
      .array(z.string())
      .describe('Columns that differ; none where a whole record came or went.'),
    before: cells('What they held, by name; all filled ones of a record that is gone.'),
    after: cells('What they hold now; all filled ones of a record that is new.'),
    before_fetched_at: z.iso.datetime().nullable().describe('When the earlier answer arrived.'),
    after_fetched_at: z.iso.datetime().nullable().describe('When the later answer arrived.'),
    since_run: z.string().describe('The earlier run.'),
    run: z.string().describe('The later run.'),
  })
  .meta({ id: 'ChangeJson' });

/** One line; the values of before and after are JSON, and not text that holds JSON. */
function changeLine(change: RecordedChange): string {
  return jsonText({
    op: change.op,
    row_key: change.rowKey,
    row_number: change.rowNumber,
    company_id: change.companyId,
    company_name: change.companyName,
    country: change.country,
    person_id: change.personId,
    columns: [...change.columns],
    before: change.before,
    after: change.after,
    before_fetched_at: change.beforeFetchedAt,
    after_fetched_at: change.afterFetchedAt,
    since_run: change.sinceRun,
    run: change.run,
  } satisfies z.input<typeof ChangeJson>);
}

/** Lines of the changes that are asked for, in their order. */
export async function* changeLines(
  changes: Iterable<RecordedChange>,
  { ops, limit = Number.POSITIVE_INFINITY }: WantedChanges,
): AsyncGenerator<string> {
  const counts = noChanges();
  for (const change of changes) {
    const { op } = change;
    if (ops.length > 0 && !ops.includes(op)) continue;
    counts[op] += 1;
    if (counts[op] <= limit) yield changeLine(change);
  }
}

interface WantedChanges {
  /** All kinds where there are none. */
  readonly ops: readonly ChangeOp[];
  /** How many of each kind. */
  readonly limit: number | undefined;
}
