import { z } from 'zod';
import { HeldBreach, MoneyJson } from '../../sinks/manifest.ts';
import { SnapshotJson } from './snapshot-json.ts';

const count = (description: string) => z.int().nonnegative().describe(description);
const requests = z
  .array(z.string())
  .describe(
    'Calls that may have been charged without an answer, each in its canonical form, such as `company?country=AU&fqdn=acme.com.au`.',
  );

/** The state of one run. */
export const RunStatus = z
  .strictObject({
    run: z.string().describe('Name of the run, such as `r7`.'),
    state: z
      .enum(['running', 'interrupted', 'finished', 'superseded'])
      .describe(
        '`interrupted` goes on when the job is run again; `superseded` does not, because the job or its input had changed.',
      ),
    held: z
      .array(HeldBreach)
      .nullable()
      .describe(
        'Expectations that its result did not meet, so that its files are held aside; null for any other run.',
      ),
    overtaken: z
      .boolean()
      .describe('Whether it is held and a later run has finished, so that it cannot be accepted.'),
    acceptedAt: z.iso
      .datetime()
      .nullable()
      .describe('When its result was accepted, though it was held; null for any other run.'),
    sampleData: z
      .boolean()
      .describe('Whether the bundled sample data answers, and no real service.'),
    input: z.string().describe('The file that was read, or standard input.'),
    limit: z
      .int()
      .nullable()
      .describe('The most rows that --limit let it read; null where it read the whole list.'),
    startedAt: z.iso.datetime().describe('When it started.'),
    endedAt: z.iso.datetime().nullable().describe('When it finished; null if it has not.'),
    prunedAt: z.iso
      .datetime()
      .nullable()
      .describe('When its rows were removed from the ledger, so that it cannot be exported.'),
    seconds: z
      .number()
      .nullable()
      .describe('From start to end, or until now while it is running; null where nobody knows.'),
    rows: z.strictObject({
      total: count('Input rows read so far.'),
      matched: count('Rows with a company.'),
      not_found: count('Rows whose company the service does not know.'),
      invalid: count('Rows whose identifier was rejected.'),
      failed: count('Rows that failed after all attempts.'),
      open: count('Rows without an outcome yet.'),
      stale: count(
        'Rows among these that keep an older answer, because a newer one could not be had.',
      ),
    }),
    calls: z.strictObject({
      made: count('Answered by the service.'),
      shared: count('Not needed because another row asks the same.'),
      reused: count('Answered by the ledger.'),
      joined: count('Answered by what came under another identifier of the company.'),
      open: count('Known to be needed and not answered yet.'),
    }),
    requests: z
      .int()
      .describe('Requests that may be charged, further attempts included; 0 for sample data.'),
    money: z.array(MoneyJson).describe('What they cost; empty where the job tells no price.'),
    people: count(
      'People received, before a person found twice is made one; of an interrupted run whose files are written, those in them.',
    ),
    failedSearches: count('People searches that got no answer.'),
    doubtful: requests,
    aside: z
      .string()
      .nullable()
      .describe(
        'Folder in which its files are put aside, being held or incomplete; null where they are not, or no job was named.',
      ),
    goOn: z
      .string()
      .nullable()
      .describe(
        'How to go on with it, in a sentence: with which flags, too; null unless it is interrupted.',
      ),
  })
  .meta({ id: 'RunStatus' });

/** One start of a job: one process that held it. */
export const StartStatus = z
  .strictObject({
    startedAt: z.iso.datetime().describe('When it took the job.'),
    state: z
      .enum(['running', 'ended', 'killed'])
      .describe(
        '`killed`: its process is gone and left no end, as after `kill -9` or a power cut.',
      ),
    endedAt: z.iso
      .datetime()
      .nullable()
      .describe('When it ended; null if it has not, or was killed.'),
    seconds: z.number().nullable().describe('From its start to its end; null where it has none.'),
    startedBy: z
      .enum(['page', 'terminal', 'script'])
      .describe('The workbench, a user at a terminal, or a program such as a scheduler.'),
    exitCode: z.int().nullable().describe('The exit code of the command; null without an end.'),
    reason: z
      .string()
      .nullable()
      .describe('Code of the error that ended it, or `BUG`; null where it finished or has no end.'),
    run: z.string().nullable().describe('The run it worked on; null where it ended before that.'),
    host: z.string().describe('Name of the machine.'),
    pid: z.int().describe('Its process id on that machine.'),
    version: z.string().describe('Version of Dossier.'),
  })
  .meta({ id: 'StartStatus' });

/** What `status --json` prints. */
export const StatusJson = z
  .strictObject({
    ledger: z.string().describe('The ledger that was read; it may not exist yet.'),
    jobs: z
      .array(
        z.strictObject({
          job: z.string().describe('Name of the job.'),
          running: z.boolean().describe('Whether a process is at work on it now.'),
          runCount: count('Runs that the ledger knows.'),
          runs: z
            .array(RunStatus)
            .describe('Newest first: as many as --runs says, or one where no job was named.'),
          starts: z
            .array(StartStatus)
            .describe(
              'Newest first: as many as --starts says, or one where no job was named. A start that found the job held by another is not among them. The ledger keeps 200 of a job.',
            ),
        }),
      )
      .describe('The job that was named, or every job of the ledger.'),
    lookups: z
      .strictObject({
        count: count('Times that `dossier lookup` was used.'),
        lastAt: z.iso.datetime().describe('When it was last used.'),
        calls: z.strictObject({
          made: count('Answered by the service.'),
          reused: count('Answered by the ledger.'),
          joined: count('Answered by what came under another identifier.'),
        }),
        doubtful: requests,
      })
      .nullable()
      .describe('All lookups together; null where there was none or a job was named.'),
    snapshot: SnapshotJson.nullable().describe(
      'The snapshots of its ledger, where a job was named that has any; else null.',
    ),
  })
  .meta({ id: 'StatusJson' });

export type RunStatus = z.output<typeof RunStatus>;
export type StartStatus = z.output<typeof StartStatus>;
export type StatusJson = z.output<typeof StatusJson>;
export type JobStatus = StatusJson['jobs'][number];
export type LookupStatus = NonNullable<StatusJson['lookups']>;
