import { z } from 'zod';
import { runName } from '../../ledger/runs/runs.ts';
import { answeredCalls } from '../../rules/outcomes.ts';
import type { RunSummary } from '../../run/run-job.ts';
import { sampleData } from '../../runtime/sample-data.ts';
import { HeldBreach, ManifestFile } from '../../sinks/manifest.ts';

const count = (about: string) => z.int().describe(about);

/** What `run --json` prints at the end. */
export const RunJson = z
  .strictObject({
    run: z.string().describe('Id of the run.'),
    job: z.string().describe('Name of the job.'),
    resumed: z.boolean().describe('An earlier run was taken up again.'),
    sampleData: z
      .boolean()
      .describe('Whether the bundled sample data answers, and no real service.'),
    notes: z
      .array(z.string())
      .describe(
        'What was guessed of the list: a title that is skipped, an encoding, the columns that identify companies.',
      ),
    replaced: z
      .strictObject({
        folder: z.string().describe('Where it was.'),
        run: z.string().describe('Its run; `dossier export --run` writes it again.'),
        input: z.string().describe('The list that it was made of.'),
        rows: count('Its rows.'),
      })
      .nullable()
      .describe('The larger result of another list that was replaced; null where there was none.'),
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
        made: count('Calls that the service answered this time.'),
        shared: count('Calls that were not needed because another row asks the same.'),
        reused: count('Calls whose answer was in the ledger.'),
        joined: count('Calls for a company that was known under another identifier.'),
        failed: count('Calls that failed after all attempts.'),
      })
      .describe('What it cost, and what it did not.'),
    requests: count('Requests that may be charged this time, further attempts included.'),
    seconds: z.number().describe('From the first start of the run to its end, without the export.'),
    held: z
      .array(HeldBreach)
      .nullable()
      .describe(
        'Expectations that were not met, so that the files are held aside (exit code 4); null where they are published.',
      ),
    folder: z.string().describe('Where the files are.'),
    files: z.array(ManifestFile).describe('The files that were written.'),
  })
  .meta({ id: 'RunJson' });

export function runJson(summary: RunSummary): z.output<typeof RunJson> {
  const { run, isResumed, notes, replaces, counts, endedAt, callsBefore } = summary;
  const { requests, held, exported } = summary;
  const { rows: total, people, open: _, ...byStatus } = exported.counts;
  const { shared, reused, joined, failed } = counts.calls;
  return {
    run: runName(run),
    job: run.job,
    resumed: isResumed,
    sampleData: run.service === sampleData,
    notes: [...notes],
    replaced: replaces ?? null,
    rows: { total, ...byStatus },
    people,
    calls: { made: answeredCalls(counts.calls) - callsBefore, shared, reused, joined, failed },
    requests,
    seconds: Math.max(0, endedAt - run.startedAt) / 1_000,
    held: held && [...held],
    folder: exported.folder,
    files: [...exported.files],
  };
}
