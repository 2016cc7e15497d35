import { z } from 'zod';
import { changeOps, serviceChanged } from '../core/columns/compare-records.ts';
import { type TableName, tables } from '../core/columns/tables.ts';
import { Breach } from '../core/rules/expectations.ts';
import { CallsOfService, RunCounts } from '../core/rules/outcomes.ts';
import { Warning } from '../core/rules/warnings.ts';
import {
  count,
  countOrNull,
  string,
  stringOrNull,
  time,
  timeOrNull,
  yesOrNo,
} from '../core/values/fields.ts';
import { destinationKinds } from '../job/schema/output-fields.ts';

const MoneyJson = z.strictObject({
  currency: string('Currency code, such as `AUD`.'),
  amount: z.number().describe('Amount in dollars, euros and so on, not in cents, such as 1.5.'),
});

export const moneys = (about: string) => z.array(MoneyJson).describe(about);

export const missMoney = moneys('The part of `money` for misses and empty pages of people.');

const formats = ['csv', 'jsonl', 'parquet', 'xlsx'] as const;
export type Format = (typeof formats)[number];

/** Only files with these names are written or removed. */
const fileName =
  /^(?:(?:companies|people|rejects|changes)\.(?:csv|jsonl|parquet)|(?:workbook|changes)\.xlsx)$/;

export const ManifestFile = z.strictObject({
  name: z
    .string()
    .regex(fileName)
    .describe('Name of the file, in the same folder as the manifest.'),
  table: z
    .enum(['workbook', ...(Object.keys(tables) as TableName[])])
    .describe('Table in the file. `workbook`: companies, people and rejects together.'),
  format: z.enum(formats).describe('Format of the file.'),
  rows: count('Number of records, without the header; for a workbook, in all its sheets.'),
  sheets: z
    .array(
      z.strictObject({
        name: string('Name of the sheet.'),
        rows: count('Number of records, without the header.'),
      }),
    )
    .exactOptional()
    .describe('Sheets of an Excel file, in order.'),
  cutCells: count(
    'Number of cells in an Excel file that were cut at 32,767 characters. Absent if none were.',
  ).exactOptional(),
  bytes: count('Size of the file on disk.'),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .describe('SHA-256 of the file on disk.'),
  crc32: z
    .string()
    .regex(/^[0-9a-f]{8}$/)
    .describe('CRC-32 of the file on disk. Absent in results of version 0.9.0.')
    .exactOptional(),
});
export type ManifestFile = z.output<typeof ManifestFile>;

const aboutOps: Record<(typeof changeOps)[number], string> = {
  row_added: 'Rows that are new in the list.',
  row_removed: 'Rows that are gone from the list.',
  company_found: 'Rows that had no company and have one now.',
  company_lost: 'Rows that had a company and have none now.',
  company_replaced: 'Rows that now have a different company.',
  company_changed: 'Rows whose company details changed.',
  person_joined: 'People who are new at their company.',
  person_left: 'People who are gone from their company.',
  person_changed: 'People whose details changed.',
};

const Changes = z
  .strictObject({
    since: stringOrNull(
      'The published run that the destination received before this one; null if there was none.',
    ),
    missing: z
      .array(z.string())
      .exactOptional()
      .describe(
        'Runs after `since` that were pruned, so their changes are missing here. Absent if there are none.',
      ),
    ...(Object.fromEntries(changeOps.map((op) => [op, count(aboutOps[op])])) as Record<
      (typeof changeOps)[number],
      z.ZodInt
    >),
    [serviceChanged]: count(
      'Rows that another service answers; absent if there are none.',
    ).exactOptional(),
  })
  .describe('Number of differences from the run named in `since`, by kind.');

export const DestinationState = z.strictObject({
  kind: z.enum(destinationKinds).describe('Kind of destination.'),
  address: string(
    'The folder, or a URL without user and password: `s3://…`, `postgres://…`, or its variable as in the job.',
  ),
  lastRun: stringOrNull('Last run that the destination received; null if none is known.'),
  behind: count('Number of published runs after `lastRun`.'),
  reason: stringOrNull('Error code, if the destination could not be written. Null otherwise.'),
  failed: stringOrNull(
    'Why the destination could not be written; `dossier export` tries again. Null if it was written.',
  ),
  leftOut: stringOrNull(
    'Why the destination was deliberately left as it was, for example because the result is held. Null otherwise.',
  ),
});
export type DestinationState = z.output<typeof DestinationState>;

export const ManifestHead = z.object({
  sampleData: yesOrNo(
    'Whether the answers come from the bundled sample data instead of a real service.',
  ),
  job: string('Name of the job.'),
  run: string('Name of the run, such as `r7`.'),
  list: string('The list that was read: a file, or standard input.'),
  limit: countOrNull('Row limit set by `--limit` for a trial run; null for the whole list.'),
  complete: yesOrNo('Whether the run finished, either published or held.'),
  startedAt: time('When the run started.'),
  endedAt: timeOrNull('When the run finished, before it wrote its results; null if it has not.'),
  calls: RunCounts.shape.calls
    .safeExtend({ saved: count('Calls not needed: the sum of `shared`, `reused` and `joined`.') })
    .describe(RunCounts.shape.calls.description ?? ''),
  requests: count(
    'Requests that were answered or may be charged, including retries; 0 for sample data.',
  ),
  money: moneys('Money charged for answers. Empty if the job has no price.'),
  possibleMoney: moneys(
    'Money that may be charged besides `money`, for server errors and requests without an answer.',
  ),
  unpriced: count('Requests whose cost is unknown because the job has no price for them.'),
  services: z
    .record(
      z.string(),
      CallsOfService.extend({
        money: moneys('Money charged for its answers. Empty if it has no price.'),
        missMoney,
      }),
    )
    .optional()
    .describe('Calls of each service, by its name; absent if the job has one service.'),
  failedSearches: RunCounts.shape.failedSearches,
  incompleteSearches: RunCounts.shape.incompleteSearches,
  held: z
    .array(Breach)
    .nullable()
    .describe('Expectations that the result does not meet. Null if it meets all.'),
  corrections: count('Number of corrections made with `dossier fix` that apply to the list.'),
  version: string('Version of Dossier that wrote the files.'),
  schemaVersion: string(
    'Version of the columns. The second number grows when a column is added; the first when a column is renamed, removed or moved, or changes its type or meaning.',
  ),
  form: string(
    'Fingerprint of the file format. It changes when the same records would be written differently.',
  ),
  jobFingerprint: string(
    'Fingerprint of the job. It changes when the job requests different data.',
  ),
  listPath: string('Absolute path or URL of the list in the job, or `-` for standard input.'),
  listFingerprint: string('SHA-256 of the list as it was read, corrections included.'),
  ledgerId: string(
    'Id of the ledger. The numbers of its runs are their order. Absent in results of Dossier 0.9.0.',
  ).exactOptional(),
  registerSources: z
    .array(
      z.strictObject({
        title: string('What it is.'),
        licence: stringOrNull('Its licence and attribution; null for your own list.'),
        extractedAt: stringOrNull('When its publisher made it; null if the file does not say.'),
      }),
    )
    .exactOptional()
    .describe('Sources of the register that the run used. Absent if it used none.'),
  destinationsBehind: z
    .array(DestinationState)
    .exactOptional()
    .describe(
      'Destinations of the job that lacked runs when this manifest was written, before this run reached them. Empty if all were up to date. Absent in results of Dossier 0.9.0.',
    ),
});
export type ManifestHead = z.output<typeof ManifestHead>;

/** Written last: files that match it are one complete export. */
export const Manifest = ManifestHead.extend({
  rows: RunCounts.shape.rows
    .safeExtend({ total: count('Rows of the list read so far.') })
    .describe(RunCounts.shape.rows.description ?? ''),
  people: RunCounts.shape.people,
  changes: Changes,
  // Manifests of 0.9.0 have none.
  warnings: z
    .array(Warning)
    .default([])
    .describe('What somebody should look at, although the run went on.'),
  files: z
    .array(ManifestFile)
    .describe('Every file of the export, except the manifest and report.'),
});
export type Manifest = z.output<typeof Manifest>;

export type WrittenFacts = Omit<Manifest, keyof ManifestHead>;
