import { z } from 'zod';
import { type ChangeOp, changeOps } from '../core/columns/compare-records.ts';
import { type Table, tables } from '../core/columns/tables.ts';
import { RunCounts } from '../core/rules/outcomes.ts';
import {
  count,
  countOrNull,
  string,
  stringOrNull,
  time,
  timeOrNull,
  yesOrNo,
} from '../core/runtime/json/fields.ts';

export const MoneyJson = z.strictObject({
  currency: string('Currency code, such as `AUD`.'),
  amount: z.number().describe('In units of the currency, with its decimals.'),
});

const formats = ['csv', 'jsonl', 'parquet', 'xlsx'] as const;
export type Format = (typeof formats)[number];

/** No other file is ever written or removed. */
const fileName =
  /^(?:(?:companies|people|rejects|changes)\.(?:csv|jsonl|parquet)|(?:workbook|changes)\.xlsx)$/;

export const HeldBreach = z.strictObject({
  expectation: z
    .enum(['rows', 'matchRate', 'matchRateDrop', 'rowsDrop', 'failed', 'vanished'])
    .describe(
      "Which of the job's `expect` it is; `vanished` needs no setting: known companies were not found.",
    ),
  expected: string('What was expected, such as `>= 60%`.'),
  found: string('What was found, such as `12%`.'),
  message: string('Both in a sentence, with the difference.'),
});

export const ManifestFile = z.strictObject({
  name: z.string().regex(fileName).describe('Name of the file, in the folder of the manifest.'),
  table: z
    .enum(['workbook', ...(Object.keys(tables) as Table[])])
    .describe('What the file holds; `workbook` for companies, people and rejects together.'),
  format: z.enum(formats).describe('How it is written.'),
  rows: count('Records, without the header; of a workbook, of all its sheets.'),
  sheets: z
    .array(
      z.strictObject({
        name: string('Name of the sheet.'),
        rows: count('Records, without the row of the names.'),
      }),
    )
    .exactOptional()
    .describe('Of an Excel file: its sheets, in their order.'),
  cutCells: count(
    'Cells of an Excel file that were cut at 32,767 characters. Absent if none was.',
  ).exactOptional(),
  bytes: count('Size on the disk.'),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .describe('SHA-256 of the file on the disk.'),
});
export type ManifestFile = z.output<typeof ManifestFile>;

const aboutOps: Record<ChangeOp, string> = {
  row_added: 'Rows that are new in the list.',
  row_removed: 'Rows that are gone from the list.',
  company_found: 'Rows that had no company and have one now.',
  company_lost: 'Rows that had a company and have none now.',
  company_replaced: 'Rows that have another company.',
  company_changed: 'Rows with changed company facts.',
  person_joined: 'People who are new at their company.',
  person_left: 'People who are gone from their company.',
  person_changed: 'People of whom something else is said.',
};

const Changes = z
  .strictObject({
    since: stringOrNull(
      'The published run that the destination received before it; null for none.',
    ),
    missing: z
      .array(z.string())
      .exactOptional()
      .describe(
        'Runs since then that were pruned, so their changes are not here; absent for none.',
      ),
    ...(Object.fromEntries(changeOps.map((op) => [op, count(aboutOps[op])])) as Record<
      ChangeOp,
      ReturnType<typeof count>
    >),
  })
  .describe('Differences from the run `since`, by kind.');

export const Destination = z.strictObject({
  kind: z.enum(['folder', 's3', 'postgres']).describe('What the destination is.'),
  address: string('The folder, or an address without user and password: `s3://…`, `postgres://…`.'),
  files: z.array(ManifestFile).describe('The files there; empty for a database.'),
  unchanged: z.array(z.string()).describe('Names of the unchanged files.'),
  failed: stringOrNull('Why it could not be written; `dossier export` writes it again.'),
  leftOut: stringOrNull(
    'Why nothing was to be written there: a database is not given a held result.',
  ),
  missing: z
    .array(z.string())
    .describe('Runs whose changes it will never have, because they were pruned before delivery.'),
});
export type Destination = z.output<typeof Destination>;

const runStates = [
  'running',
  'stopped',
  'killed',
  'incomplete',
  'finished',
  'undelivered',
  'held',
  'superseded',
] as const;
export type RunState = (typeof runStates)[number];

export const RunFacts = z
  .strictObject({
    sampleData: yesOrNo('Whether the bundled sample data answers, and no real service.'),
    job: string('Name of the job.'),
    run: string('Name of the run, such as `r7`.'),
    list: string('The list that was read: a file, or standard input.'),
    limit: countOrNull(
      'The most rows that `--limit` let it read, for a try; null for the whole list.',
    ),
    state: z
      .enum(runStates)
      .describe(
        '`stopped`, `incomplete` (its files were written) and `killed` go on when the job runs again; `superseded` cannot go on or be accepted any more; `undelivered` is finished, and a destination is missing.',
      ),
    complete: yesOrNo('Whether it has finished, published or held.'),
    startedAt: time('When it started.'),
    endedAt: timeOrNull('When it finished; null if it has not.'),
    seconds: z
      .number()
      .nullable()
      .describe('From start to end, or until now while it is running; null if unknown.'),
    exitCode: countOrNull(
      'Exit code of its last start; null while it is running and after a kill.',
    ),
    reason: stringOrNull(
      'Error code that ended its last start, `BUG`, or `HELD` for a held result. Null if it finished.',
    ),
    startedBy: z
      .enum(['page', 'terminal', 'script'])
      .nullable()
      .describe(
        'Its last start: the page, a user at a terminal, or a program such as a scheduler.',
      ),
    host: stringOrNull('The machine of that start.'),
    ...RunCounts.shape,
    rows: RunCounts.shape.rows
      .safeExtend({ total: count('Rows of the list read so far.') })
      .describe(RunCounts.shape.rows.description ?? ''),
    calls: RunCounts.shape.calls
      .safeExtend({ saved: count('Not needed: shared, reused and joined together.') })
      .describe(RunCounts.shape.calls.description ?? ''),
    requests: count('Requests that may be charged, further attempts included; 0 for sample data.'),
    money: z.array(MoneyJson).describe('Money charged for answers. Empty without a price.'),
    unpriced: count('Requests without a price; their cost is unknown.'),
    possibleMoney: z
      .array(MoneyJson)
      .describe('What may be charged on top, for server errors and requests without an answer.'),
    possiblyCharged: z
      .array(z.string())
      .describe(
        'Calls without an answer that may have been charged, such as `company?country=AU&fqdn=acme.com.au`.',
      ),
    held: z
      .array(HeldBreach)
      .nullable()
      .describe('Expectations that the result does not meet. Null if it meets all.'),
    acceptedAt: timeOrNull('When a held result was accepted; null for any other run.'),
    corrections: count('Corrections of `dossier fix` that apply to the list.'),
    changes: Changes.nullable().describe('Differences from the run `since`. Null if unknown.'),
    folder: stringOrNull(
      'Folder of its files. `held-<run>` inside the output folder if it is held or incomplete. Null if none were written or it is unknown.',
    ),
    files: z.array(ManifestFile).nullable().describe('The files in `folder`. Null if unknown.'),
    unchanged: z.array(z.string()).nullable().describe('Names of the unchanged files.'),
    destinations: z
      .array(Destination)
      .nullable()
      .describe('Result at each destination. Null if unknown.'),
    prunedAt: timeOrNull(
      'When its rows were removed from the ledger: it cannot be exported any more.',
    ),
  })
  .meta({ id: 'RunFacts' });
export type RunFacts = z.output<typeof RunFacts>;

export const ManifestHead = z.object({
  ...RunFacts.pick({
    sampleData: true,
    job: true,
    run: true,
    list: true,
    limit: true,
    complete: true,
    startedAt: true,
    endedAt: true,
    calls: true,
    requests: true,
    money: true,
    possibleMoney: true,
    unpriced: true,
    failedSearches: true,
    incompleteSearches: true,
    held: true,
    corrections: true,
  }).shape,
  version: string('Version of Dossier that wrote the files.'),
  schemaVersion: string(
    'Version of the columns: the second number grows when one is added, the first when one is renamed, removed, moved, or changes its type or meaning.',
  ),
  form: string('Changes when the same records would be written in another way.'),
  jobFingerprint: string('Changes when the job asks for anything else.'),
  listPath: string(
    'Absolute path or address of the list that the job is for, or `-` for standard input.',
  ),
  listFingerprint: string('SHA-256 of the list as it was read, corrections included.'),
});
export type ManifestHead = z.output<typeof ManifestHead>;

/** Written last: files that match it are one complete export. */
export const Manifest = ManifestHead.extend({
  rows: RunFacts.shape.rows,
  people: RunFacts.shape.people,
  changes: Changes,
  files: z.array(ManifestFile).describe('Every file of the export, but the manifest and report.'),
});
export type Manifest = z.output<typeof Manifest>;

export type WrittenFacts = Omit<Manifest, keyof ManifestHead>;

type Nullable<Shape extends Record<string, z.ZodType>> = {
  [Name in keyof Shape]: z.ZodNullable<Shape[Name]>;
};

function nullable<Shape extends Record<string, z.ZodType>>(shape: Shape): Nullable<Shape> {
  const fields = Object.entries(shape).map(([name, field]) => [
    name,
    field instanceof z.ZodNullable ? field : field.nullable().describe(field.description ?? ''),
  ]);
  return Object.fromEntries(fields) as Nullable<Shape>;
}

export const RunEnd = z
  .strictObject({
    exitCode: count('The exit code of the command.'),
    reason: RunFacts.shape.reason,
    message: stringOrNull('Error message. Null without a `reason`.'),
    remedy: stringOrNull('What to do. Null without a `reason`.'),
    ...nullable(RunFacts.omit({ exitCode: true, reason: true }).shape),
    complete: RunFacts.shape.complete,
    resumed: yesOrNo('It went on with an earlier run.'),
    calls: RunFacts.shape.calls
      .nullable()
      .describe('Calls by how they were answered; `made` counts this start only.'),
    requests: count('Requests of this start that may be charged, including retries.'),
    money: RunFacts.shape.money.describe(
      'Money charged for answers of this start. Empty without a price.',
    ),
    unpriced: RunFacts.shape.unpriced,
    possibleMoney: RunFacts.shape.possibleMoney.describe(
      'What may be charged on top, for server errors and requests without an answer of this start.',
    ),
    seconds: z.number().nullable().describe('From the first start of the run to its end.'),
    wholeRun: z
      .strictObject({
        made: count('Calls that the service answered.'),
        requests: count('Requests that may be charged.'),
        money: RunFacts.shape.money,
        possibleMoney: RunFacts.shape.possibleMoney,
        unpriced: RunFacts.shape.unpriced,
      })
      .nullable()
      .describe(
        'The same for all starts of the run. Null if the command ended before a run began.',
      ),
    notes: z
      .array(z.string())
      .describe('What was guessed about the list: a title row, an encoding, the columns.'),
    replaced: z
      .strictObject({
        folder: string('Where it was.'),
        run: string('Its run; `dossier export --run` writes it again.'),
        input: string('The list that it was made of.'),
        rows: count('Its rows.'),
      })
      .nullable()
      .describe('Larger result of another list that was replaced. Null if there was none.'),
  })
  .meta({ id: 'RunEnd' });
export type RunEnd = z.output<typeof RunEnd>;
