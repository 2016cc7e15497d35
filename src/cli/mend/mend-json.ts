import { z } from 'zod';
import { Correction } from '../../job/mended/correction.ts';
import { PlanJson } from '../../overview/plan/plan-json.ts';

/** What `mend --list --json` prints. */
export const MendListJson = z
  .strictObject({
    job: z.string().describe('Name of the job.'),
    file: z.string().describe('Where its corrections are kept, one a line.'),
    corrections: z.array(
      Correction.extend({
        state: z
          .enum(['applies', 'unneeded', 'missing', 'unknown'])
          .describe(
            '`applies` while the list holds the rejected value; `unneeded` where it has another one there; `missing` where it does not have the row; `unknown` where the list could not be read.',
          ),
      }),
    ),
    trouble: z.string().nullable().describe('Why the list could not be read; null where it was.'),
  })
  .meta({ id: 'MendListJson' });
export type MendListJson = z.output<typeof MendListJson>;

/** What `mend --drop --json` prints. */
export const MendDropJson = z
  .strictObject({
    job: z.string().describe('Name of the job.'),
    file: z.string().describe('Where its corrections are kept.'),
    dropped: z.array(Correction).describe('The corrections that were dropped.'),
    left: z.int().describe('How many are left.'),
  })
  .meta({ id: 'MendDropJson' });
export type MendDropJson = z.output<typeof MendDropJson>;

/** What `mend --dry-run --json` prints. */
export const MendPlanJson = z
  .strictObject({
    file: z.string().describe('Where the corrections would be kept.'),
    corrections: z.array(Correction).describe('Those that are new, or say something else.'),
    again: z.int().describe('Cells of the file whose correction is kept already.'),
    refused: z
      .array(
        z.strictObject({
          row_key: z.string(),
          column: z.string(),
          value: z.string(),
          reason: z.string().describe('Code of the reason, as in `reason` of the outputs.'),
          message: z.string(),
        }),
      )
      .describe('Changed cells that cannot be asked for, either.'),
    unknown: z.array(z.string()).describe('Row keys of the file that the list does not have.'),
    matched: z.int().describe('Rows with a changed cell that have a company already.'),
    ignored: z
      .record(z.string(), z.int())
      .describe('Changed cells of columns that say nothing about what a row asks for.'),
    plan: PlanJson.describe('What would be asked, as `plan --json` tells it, of the mended rows.'),
  })
  .meta({ id: 'MendPlanJson' });
export type MendPlanJson = z.output<typeof MendPlanJson>;
