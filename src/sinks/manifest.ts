import { z } from 'zod';
import { type ChangeOp, changeOps } from '../records/changes.ts';
import { type Table, tables } from '../records/tables.ts';

const count = (about: string) => z.int().nonnegative().describe(about);

/** An amount of money in what Dossier writes for machines. */
export const MoneyJson = z.strictObject({
  currency: z.string().describe('Code of the currency, such as `AUD`.'),
  amount: z.number().describe('In units of the currency, with its decimals.'),
});

const formats = ['csv', 'jsonl', 'parquet', 'xlsx'] as const;
export type Format = (typeof formats)[number];

/** Only such names are ever written, or removed because an earlier manifest names them. */
const fileName =
  /^(?:(?:companies|people|rejects|changes)\.(?:csv|jsonl|parquet)(?:\.gz|\.zst)?|(?:workbook|changes)\.xlsx)$/;

/** Whether a file is one that an export writes records to. */
export function isOutputFile(name: string): boolean {
  return fileName.test(name);
}

export const HeldBreach = z.strictObject({
  expectation: z
    .enum(['rows', 'matchRate', 'matchRateDrop', 'rowsDrop', 'failed', 'history'])
    .describe(
      "Which of the job's `expect` it is; `history` is the one that is always there: rows asked anew do as well as before.",
    ),
  expected: z.string().describe('What was expected, such as `>= 60%`.'),
  found: z.string().describe('What was found, such as `12%`.'),
  message: z.string().describe('Both in a sentence, with the difference.'),
});

export const ManifestFacts = z.strictObject({
  sampleData: z
    .boolean()
    .describe('Whether the bundled sample data has answered, and not a real service.'),
  version: z.string().describe('Version of Dossier that wrote the files.'),
  schemaVersion: z
    .string()
    .describe(
      'Version of the columns: the second number grows when one is added, the first when one is renamed, removed, moved, or changes its type or meaning.',
    ),
  form: z.string().describe('Changes when the same records would be written in another way.'),
  complete: z
    .boolean()
    .describe('Whether the run has finished; else rows may be open and people missing.'),
  held: z
    .array(HeldBreach)
    .nullable()
    .describe(
      'Expectations that the result does not meet: it lies in `held-<run>` until it is accepted. Null for a result that is published, or incomplete.',
    ),
  run: z
    .strictObject({
      id: z.string().describe('Id of the run.'),
      startedAt: z.iso.datetime().describe('When the run started.'),
      endedAt: z.iso
        .datetime()
        .nullable()
        .describe('When the run ended; null while it goes on or after a crash.'),
      changesSince: z
        .string()
        .nullable()
        .describe(
          'Id of the run that `changes` compares with, the last complete one before; null where there is none, or the run is not complete.',
        ),
    })
    .describe('The run that the files show.'),
  job: z
    .strictObject({
      name: z.string().describe('Name of the job.'),
      fingerprint: z.string().describe('Changes when the job asks for anything else.'),
      list: z
        .string()
        .describe('Absolute path of the list that the job is for, or `-` for standard input.'),
    })
    .describe('The job that ran.'),
  input: z
    .strictObject({
      name: z.string().describe('The file that was read, or standard input.'),
      fingerprint: z.string().describe('SHA-256 of what was read, corrections included.'),
      corrections: count('Corrections of `dossier fix` that have applied to it.'),
    })
    .describe('The snapshot of the input.'),
  calls: z
    .strictObject({
      made: count('Calls that the service answered in this run.'),
      failed: count('Calls that got no answer after all attempts.'),
      saved: count(
        'Calls that were not needed: rows share one, or the ledger has the answer, perhaps under another identifier.',
      ),
    })
    .describe('What the run cost, and what it did not.'),
  spend: z
    .strictObject({
      requests: z.int().describe('Requests that may be charged, further attempts included.'),
      money: z.array(MoneyJson).describe('What they cost; empty where the job tells no price.'),
    })
    .exactOptional()
    .describe('What the whole run may be charged for; absent for sample data.'),
});
export type ManifestFacts = z.output<typeof ManifestFacts>;

export const ManifestFile = z.strictObject({
  name: z.string().regex(fileName).describe('Name of the file, in the folder of the manifest.'),
  table: z
    .enum(['workbook', ...(Object.keys(tables) as Table[])])
    .describe('What the file holds; `workbook` for companies, people and rejects together.'),
  format: z.enum(formats).describe('How it is written, apart from compression.'),
  rows: count('Records, without the header; of a workbook, of all its sheets.'),
  sheets: z
    .array(
      z.strictObject({
        name: z.string().describe('Name of the sheet.'),
        rows: count('Records, without the row of the names.'),
      }),
    )
    .exactOptional()
    .describe('Of an Excel file: its sheets, in their order.'),
  cutCells: count(
    'Cells of an Excel file whose text was cut off at 32,767 characters; absent where none was.',
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
  company_changed: 'Rows of which something else is said.',
  person_joined: 'People who are new at their company.',
  person_left: 'People who are gone from their company.',
  person_changed: 'People of whom something else is said.',
};

const ChangeCounts = z.strictObject(
  Object.fromEntries(changeOps.map((op) => [op, count(aboutOps[op])])) as Record<
    ChangeOp,
    ReturnType<typeof count>
  >,
);

export const RecordCounts = z.strictObject({
  rows: count('Rows of the input.'),
  matched: count('Rows with a company.'),
  not_found: count('Rows whose company the service does not know.'),
  invalid: count('Rows that were rejected, by us or by the service.'),
  failed: count('Rows that failed after all attempts.'),
  open: count('Rows that were not asked for yet.'),
  stale: count('Rows among these that keep an older answer, because a newer one could not be had.'),
  people: count('People found.'),
  changes: ChangeCounts.describe('What differs from the run before, by what happened.'),
});
export type RecordCounts = z.output<typeof RecordCounts>;

/** manifest.json: written last, so that it stands for a whole export. */
export const Manifest = ManifestFacts.extend({
  counts: RecordCounts.describe('How the rows ended.'),
  files: z.array(ManifestFile).describe('Every file of the export, but the manifest and report.'),
});
export type Manifest = z.output<typeof Manifest>;

/** What became of a result at one of its destinations. */
export const Destination = z.strictObject({
  kind: z.enum(['folder', 's3', 'postgres']).describe('What the destination is.'),
  address: z
    .string()
    .describe('The folder, or an address without user and password: `s3://…`, `postgres://…`.'),
  files: z.array(ManifestFile).describe('The files there; empty for a database.'),
  unchanged: z.array(z.string()).describe('Those of them that are as they were.'),
  failed: z
    .string()
    .nullable()
    .describe('Why it could not be written; `dossier export` writes it again.'),
  leftOut: z
    .string()
    .nullable()
    .describe('Why nothing was to be written there: a database is not given a held result.'),
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

/**
 * How a run stands and how it ended. The terminal, `run --json`, `status --json`, manifest.json, the page, the
 * report, notifications and metrics show parts of this and nothing else.
 */
export const RunFacts = z
  .strictObject({
    job: z.string().describe('Name of the job.'),
    run: z.string().describe('Name of the run, such as `r7`.'),
    list: z.string().describe('The list that was read: a file, or standard input.'),
    limit: z
      .int()
      .nullable()
      .describe('The most rows that `--limit` let it read, for a try; null for the whole list.'),
    sampleData: z
      .boolean()
      .describe('Whether the bundled sample data answers, and no real service.'),
    state: z
      .enum(runStates)
      .describe(
        '`stopped`, `incomplete` (its files were written) and `killed` go on when the job runs again; `superseded` cannot go on or be accepted any more; `undelivered` is finished, and a destination is missing.',
      ),
    complete: z.boolean().describe('Whether it has finished, published or held.'),
    startedAt: z.iso.datetime().describe('When it started.'),
    endedAt: z.iso.datetime().nullable().describe('When it finished; null if it has not.'),
    seconds: z
      .number()
      .nullable()
      .describe('From start to end, or until now while it is running; null where nobody knows.'),
    exitCode: z
      .int()
      .nullable()
      .describe('Exit code of its last start; null while it is running and after a kill.'),
    reason: z
      .string()
      .nullable()
      .describe(
        'Error code that ended its last start, `BUG`, or `HELD` for a held result; null where it finished.',
      ),
    startedBy: z
      .enum(['page', 'terminal', 'script'])
      .nullable()
      .describe(
        'Its last start: the page, a user at a terminal, or a program such as a scheduler.',
      ),
    host: z.string().nullable().describe('The machine of that start.'),
    rows: z
      .strictObject({
        total: count('Rows of the list read so far.'),
        matched: count('Rows with a company.'),
        not_found: count('Rows whose company the service does not know.'),
        invalid: count('Rows whose identifier was rejected.'),
        failed: count('Rows that failed after all attempts.'),
        open: count('Rows without an outcome yet.'),
        stale: count('Rows among these that keep an older answer.'),
      })
      .describe('Rows by outcome, as in the files where files were written.'),
    calls: z
      .strictObject({
        made: count('Answered by the service.'),
        shared: count('Not needed because another row asks the same.'),
        reused: count('Answered by the ledger.'),
        joined: count('Answered for another identifier of the same company.'),
        failed: count('Failed after all attempts.'),
        open: count('Needed and not answered yet.'),
      })
      .describe('Calls of the whole run.'),
    people: count('People found, each once where files were written.'),
    failedSearches: count('People searches without an answer.'),
    incompleteSearches: count('People searches that may not have brought everybody.'),
    requests: count('Requests that may be charged, further attempts included; 0 for sample data.'),
    money: z.array(MoneyJson).describe('What they cost; empty where the job has no price.'),
    possiblyCharged: z
      .array(z.string())
      .describe(
        'Calls without an answer that may have been charged, such as `company?country=AU&fqdn=acme.com.au`.',
      ),
    held: z
      .array(HeldBreach)
      .nullable()
      .describe('Expectations that the result does not meet; null where it meets all.'),
    acceptedAt: z.iso
      .datetime()
      .nullable()
      .describe('When a held result was accepted; null for any other run.'),
    corrections: count('Corrections of `dossier fix` that apply to the list.'),
    changes: ChangeCounts.extend({
      since: z.string().nullable().describe('The last published run before it; null for none.'),
    })
      .nullable()
      .describe('Differences from that run; null where they are not known.'),
    folder: z
      .string()
      .nullable()
      .describe(
        'Where its files are: `held-<run>` beside the last good ones where it is held or incomplete. Null where none were written or it is not known.',
      ),
    files: z
      .array(ManifestFile)
      .nullable()
      .describe('The files in `folder`; null where they are not known.'),
    unchanged: z.array(z.string()).nullable().describe('Those of them that are as they were.'),
    destinations: z
      .array(Destination)
      .nullable()
      .describe('What became of it at each destination; null where it is not known.'),
    prunedAt: z.iso
      .datetime()
      .nullable()
      .describe('When its rows were removed from the ledger: it cannot be exported any more.'),
  })
  .meta({ id: 'RunFacts' });
export type RunFacts = z.output<typeof RunFacts>;

type Nullable<Shape> = {
  [Name in keyof Shape]: Shape[Name] extends z.ZodNullable
    ? Shape[Name]
    : Shape[Name] extends z.ZodType
      ? z.ZodNullable<Shape[Name]>
      : never;
};

/** The same fields, each of which may be unknown. */
function nullable<Shape extends Record<string, z.ZodType>>(shape: Shape): Nullable<Shape> {
  const fields = Object.entries(shape).map(([name, field]) => [
    name,
    field instanceof z.ZodNullable ? field : field.nullable().describe(field.description ?? ''),
  ]);
  return Object.fromEntries(fields) as Nullable<Shape>;
}

/** Fields that mean one start where the end of a start is described, or are always known there. */
const ofStart = {
  exitCode: true,
  reason: true,
  complete: true,
  calls: true,
  requests: true,
  money: true,
  seconds: true,
} as const;

/** The end of one start: what `run --json` prints and notifications carry. */
export const RunEnd = z
  .strictObject({
    exitCode: z.int().describe('The exit code of the command.'),
    reason: RunFacts.shape.reason,
    message: z.string().nullable().describe('What happened; null where `reason` is.'),
    remedy: z.string().nullable().describe('What to do about it; null where `reason` is.'),
    ...nullable(RunFacts.omit(ofStart).shape),
    complete: RunFacts.shape.complete,
    resumed: z.boolean().describe('It went on with an earlier run.'),
    calls: RunFacts.shape.calls
      .nullable()
      .describe('Calls by how they were answered; `made` counts this start only.'),
    requests: count('Requests of this start that may be charged, further attempts included.'),
    money: MoneyJson.nullable().describe(
      'What these requests cost; null where the job has no price.',
    ),
    seconds: z.number().nullable().describe('From the first start of the run to its end.'),
    wholeRun: z
      .strictObject({
        made: count('Calls that the service answered.'),
        requests: count('Requests that may be charged.'),
        money: z.array(MoneyJson).describe('What they cost.'),
      })
      .nullable()
      .describe('The same for all starts of the run; null where it ended before it had one.'),
    notes: z
      .array(z.string())
      .describe('What was guessed about the list: a title row, an encoding, the columns.'),
    replaced: z
      .strictObject({
        folder: z.string().describe('Where it was.'),
        run: z.string().describe('Its run; `dossier export --run` writes it again.'),
        input: z.string().describe('The list that it was made of.'),
        rows: count('Its rows.'),
      })
      .nullable()
      .describe('The larger result of another list that was replaced; null where there was none.'),
  })
  .meta({ id: 'RunEnd' });
export type RunEnd = z.output<typeof RunEnd>;
