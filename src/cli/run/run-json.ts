import { z } from 'zod';
import { runName } from '../../ledger/runs/runs.ts';
import { answeredCalls } from '../../rules/outcomes.ts';
import type { RunSummary } from '../../run/run-job.ts';
import { moneyJson } from '../../runtime/budget/money.ts';
import { sampleData } from '../../runtime/sample-data.ts';
import {
  ChangeCounts,
  HeldBreach,
  ManifestFile,
  MoneyJson,
  type RecordCounts,
} from '../../sinks/manifest.ts';
import { PlaceJson, placeJson } from '../places.ts';
import { failureFacts } from '../terminal/errors.ts';
import { nameJob } from '../terminal/text.ts';
import { heldWords } from './end/held-words.ts';
import type { GivenJob } from './start-texts.ts';

const count = (about: string) => z.int().describe(about);

/** What `run --json` prints at the end, whatever ended the run. What is not known then is null. */
export const RunJson = z
  .strictObject({
    exitCode: z.int().describe('The exit code of the command.'),
    reason: z
      .string()
      .nullable()
      .describe(
        'Code of the error that ended it, or `BUG`; `HELD` where its result is held (exit code 4); `OUTPUT_UNREACHED` where it finished and a place could not be written (74); null where it finished otherwise.',
      ),
    message: z.string().nullable().describe('What happened; null where `reason` is.'),
    remedy: z.string().nullable().describe('What to do about it; null where `reason` is.'),
    run: z.string().nullable().describe('Id of the run; null where it ended before it had one.'),
    job: z.string().nullable().describe('Name of the job; null where it could not be read.'),
    resumed: z.boolean().describe('An earlier run was taken up again.'),
    sampleData: z
      .boolean()
      .nullable()
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
        stale: count(
          'Rows among these that keep an older answer, because a newer one could not be had.',
        ),
        open: count('Rows without an outcome yet.'),
      })
      .nullable()
      .describe(
        'How the rows stand in the files, as in the manifest; where none were written, in the ledger. Null before the list was read.',
      ),
    corrections: count('Corrections of `dossier fix` that apply to the list.').nullable(),
    people: count('People found, counted as the rows are.').nullable(),
    changes: ChangeCounts.extend({
      since: z
        .string()
        .nullable()
        .describe('The run that was compared with; null where there is no complete one before.'),
    })
      .nullable()
      .describe(
        'What differs from the last complete run, as in `changes`; null before that is known.',
      ),
    calls: z
      .strictObject({
        made: count('Calls that the service answered this time.'),
        shared: count('Calls that were not needed because another row asks the same.'),
        reused: count('Calls whose answer was in the ledger.'),
        joined: count('Calls for a company that was known under another identifier.'),
        failed: count('Calls that failed after all attempts.'),
        open: count('Calls known to be needed and not answered yet.'),
      })
      .nullable()
      .describe('What it cost, and what it did not.'),
    requests: count('Requests that may be charged this time, further attempts included.'),
    money: MoneyJson.nullable().describe(
      'What these requests cost at `service.price`; null where the job tells no price.',
    ),
    seconds: z
      .number()
      .nullable()
      .describe(
        'From the first start of the run to its end, without the export; of the command where it did not finish.',
      ),
    complete: z
      .boolean()
      .describe(
        'Whether the run has finished; else the files show what there is, and the next run goes on with it.',
      ),
    held: z
      .array(HeldBreach)
      .nullable()
      .describe(
        'Expectations that were not met (exit code 4); null where all were, or none was judged.',
      ),
    folder: z
      .string()
      .nullable()
      .describe(
        'Where the files are, in the first place of the job: in `held-<run>` where they are put aside, being held or incomplete, so that the last good ones stand. Null where none were written.',
      ),
    files: z.array(ManifestFile).describe('The files of the result.'),
    unchanged: z
      .array(z.string())
      .describe('Those of them that are as they were, and were not written again.'),
    places: z
      .array(PlaceJson)
      .describe(
        'All places of the result, the first one included, and what has become of it there.',
      ),
  })
  .meta({ id: 'RunJson' });

export type RunJson = z.output<typeof RunJson>;

const noWords = { reason: null, message: null, remedy: null };

/** The rows of written files, matched ones first. */
export function writtenRows(counts: RecordCounts): NonNullable<RunJson['rows']> {
  const { rows: total, matched, not_found, invalid, failed, stale, open } = counts;
  return { total, matched, not_found, invalid, failed, stale, open };
}

/** Why a finished run does not end with 0 or 3, as an error is told. */
function wordsOf({ held, exported }: RunSummary, given: GivenJob) {
  if (held) return heldWords({ held, exported }, given);
  if (!exported.unreached) return noWords;
  const { code: reason, message, remedy } = failureFacts(exported.unreached);
  return { reason, message, remedy };
}

export function runJson(summary: RunSummary, given: GivenJob): RunJson {
  const { run, isResumed, notes, replaces, counts, endedAt, callsBefore } = summary;
  const { requests, money, held, exported } = summary;
  const { people, changes } = exported.counts;
  const { shared, reused, joined, failed, open } = counts.calls;
  const made = answeredCalls(counts.calls) - callsBefore;
  return {
    exitCode: summary.exitCode,
    ...wordsOf(summary, given),
    run: runName(run),
    job: run.job,
    resumed: isResumed,
    sampleData: run.service === sampleData,
    notes: notes.map(nameJob),
    replaced: replaces ?? null,
    rows: writtenRows(exported.counts),
    corrections: run.corrections?.applied ?? 0,
    people,
    changes: { since: exported.changesSince, ...changes },
    calls: { made, shared, reused, joined, failed, open },
    requests,
    money: money ? moneyJson(money) : null,
    seconds: Math.max(0, endedAt - run.startedAt) / 1_000,
    complete: true,
    held: held && [...held],
    folder: exported.folder,
    files: [...exported.files],
    unchanged: [...exported.unchanged],
    places: exported.places.map(placeJson),
  };
}
