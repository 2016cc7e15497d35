import { z } from 'zod';
import { runName } from '../../ledger/runs/runs.ts';
import type { RunSummary } from '../../run/run-job.ts';
import { ManifestFile } from '../../sinks/manifest.ts';

const count = (about: string) => z.int().describe(about);

/** What `run --json` prints at the end. */
export const RunJson = z
  .strictObject({
    run: z.string().describe('Id of the run.'),
    job: z.string().describe('Name of the job.'),
    resumed: z.boolean().describe('An earlier run was taken up again.'),
    rows: z
      .strictObject({
        total: count('Rows of the input.'),
        matched: count('Rows with a company.'),
        not_found: count('Rows whose company the service does not know.'),
        invalid: count('Rows that were rejected, by us or by the service.'),
        failed: count('Rows that failed after all attempts.'),
      })
      .describe('How the rows ended.'),
    people: count('People found.'),
    calls: z
      .strictObject({
        made: count('Calls that went to the service this time.'),
        shared: count('Calls that were not needed because another row asks the same.'),
        reused: count('Calls whose answer was in the ledger.'),
        joined: count('Calls for a company that was known under another identifier.'),
        failed: count('Calls that failed after all attempts.'),
      })
      .describe('What it cost, and what it did not.'),
    seconds: z.number().describe('From the first start of the run to its end, without the export.'),
    folder: z.string().describe('Where the files are.'),
    files: z.array(ManifestFile).describe('The files that were written.'),
  })
  .meta({ id: 'RunJson' });

export function runJson(summary: RunSummary): z.output<typeof RunJson> {
  const { run, isResumed, counts, endedAt, callsBefore, exported } = summary;
  const { rows: total, people, ...byStatus } = exported.counts;
  const { called, shared, reused, joined, failed } = counts.calls;
  return {
    run: runName(run),
    job: run.job,
    resumed: isResumed,
    rows: { total, ...byStatus },
    people,
    calls: { made: called - callsBefore, shared, reused, joined, failed },
    seconds: Math.max(0, endedAt - run.startedAt) / 1_000,
    folder: exported.folder,
    files: [...exported.files],
  };
}
