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

export const ChangeCounts = z.strictObject(
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
