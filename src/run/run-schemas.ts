import { z } from 'zod';
import { RunCounts } from '../core/rules/outcomes.ts';
import { Warning } from '../core/rules/warnings.ts';
import {
  count,
  countOrNull,
  numberOrNull,
  string,
  stringOrNull,
  strings,
  timeOrNull,
  yesOrNo,
} from '../core/values/fields.ts';
import { DestinationState, Manifest, ManifestFile, missMoney } from '../results/manifest.ts';

const RunDestination = DestinationState.extend({
  files: z.array(ManifestFile).describe('Files at the destination; empty for a database.'),
  unchanged: strings('Names of the files with the same content as in the previous result there.'),
  missing: strings(
    'Runs whose changes the destination will never receive, because the runs were pruned before delivery.',
  ),
});
export type RunDestination = z.output<typeof RunDestination>;

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

const { shape: written } = Manifest;

export const RunFacts = z
  .strictObject({
    sampleData: written.sampleData,
    job: written.job,
    run: written.run,
    list: written.list,
    limit: written.limit,
    state: z
      .enum(runStates)
      .describe(
        '`stopped`, `incomplete` (partial files were written) and `killed` runs continue when the job runs again. `superseded`: a later run replaced it, so it can neither continue nor be accepted. `undelivered`: finished, but a destination has not received the result. `held`: not published until a person accepts it.',
      ),
    complete: written.complete,
    startedAt: written.startedAt,
    endedAt: written.endedAt,
    seconds: numberOrNull(
      'Seconds from start until the results were written, or until now while the run is running; null if unknown.',
    ),
    exitCode: countOrNull(
      'Exit code of the last command that worked on the run; null while it is running and after a kill.',
    ),
    reason: stringOrNull(
      'Why the run stopped or its result was not delivered: an error code, `BUG`, or `HELD` for a held result. Null if nothing went wrong, while it is running and after a kill.',
    ),
    startedBy: z
      .enum(['page', 'terminal', 'script'])
      .nullable()
      .describe(
        'What last started the run. `page`: the workbench page. `terminal`: a user at a terminal. `script`: a program such as a scheduler.',
      ),
    host: stringOrNull('Machine on which the run was last started.'),
    ...RunCounts.shape,
    rows: written.rows,
    calls: written.calls,
    services: written.services,
    requests: written.requests,
    money: written.money,
    missMoney,
    unpriced: written.unpriced,
    possibleMoney: written.possibleMoney,
    possiblyCharged: strings(
      'Calls that a killed process left without an answer, such as `company?country=AU&fqdn=acme.com.au`. They may have been charged, if they were sent.',
    ),
    held: written.held,
    acceptedAt: timeOrNull('When a held result was accepted; null for any other run.'),
    corrections: written.corrections,
    changes: written.changes
      .nullable()
      .describe('Number of differences from an earlier run, named in `since`. Null if unknown.'),
    folder: stringOrNull(
      'Folder with the files of the run: `held-<run>` inside the output folder if the run is held or incomplete. Null if no files were written or the folder is unknown.',
    ),
    warnings: z
      .array(Warning)
      .nullable()
      .describe(
        'What somebody should look at, although the run goes on. Null until files are written.',
      ),
    files: z.array(ManifestFile).nullable().describe('The files in `folder`. Null if unknown.'),
    unchanged: z
      .array(z.string())
      .nullable()
      .describe(
        'Names of the files with the same content as in the previous result in `folder`. Null if unknown.',
      ),
    destinations: z
      .array(RunDestination)
      .nullable()
      .describe('What was written to each destination. Null if unknown.'),
    prunedAt: timeOrNull(
      'When the rows of the run were removed from the ledger. A pruned run can no longer be exported. Null if it was not pruned.',
    ),
  })
  .meta({ id: 'RunFacts' });
export type RunFacts = z.output<typeof RunFacts>;

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
    ...nullable(RunFacts.omit({ exitCode: true, reason: true, services: true }).shape),
    services: RunFacts.shape.services,
    complete: RunFacts.shape.complete,
    resumed: yesOrNo('Whether the command continued an earlier run.'),
    calls: RunFacts.shape.calls
      .nullable()
      .describe('Calls by how they were answered; `made` counts only those of this command.'),
    requests: count(
      'Requests by this command that were answered or may be charged, including retries.',
    ),
    money: RunFacts.shape.money.describe(
      'Money charged for answers that this command fetched. Empty if the job has no price.',
    ),
    unpriced: RunFacts.shape.unpriced,
    possibleMoney: RunFacts.shape.possibleMoney.describe(
      'Money that may be charged besides `money`, for server errors and requests without an answer during this command.',
    ),
    seconds: numberOrNull(
      'Seconds from when the run was first started until its results were written.',
    ),
    wholeRun: z
      .strictObject({
        made: count('Calls that the service answered.'),
        requests: count('Requests that were answered or may be charged.'),
        money: RunFacts.shape.money,
        missMoney: RunFacts.shape.missMoney,
        possibleMoney: RunFacts.shape.possibleMoney,
        unpriced: RunFacts.shape.unpriced,
      })
      .nullable()
      .describe(
        'The same counts for the whole run, over all commands that continued it. Null if the command ended before a run began.',
      ),
    notes: strings('Guesses about the list: a title row, an encoding, the columns.'),
    replaced: z
      .strictObject({
        folder: string('Folder of the replaced result.'),
        run: string('Run of the replaced result; `dossier export --run` writes it again.'),
        input: string('List from which the replaced result was made.'),
        rows: count('Number of rows in the replaced result.'),
      })
      .nullable()
      .describe(
        'The result that this run replaced, if it was larger and from a different list, or if a list without a job file has changed; otherwise null.',
      ),
  })
  .meta({ id: 'RunEnd' });
export type RunEnd = z.output<typeof RunEnd>;
