import { z } from 'zod';
import { RunFacts } from '../../sinks/manifest.ts';
import { SnapshotJson } from './snapshot-json.ts';

const count = (description: string) => z.int().nonnegative().describe(description);
const requests = z
  .array(z.string())
  .describe(
    'Calls that may have been charged without an answer, each in its canonical form, such as `company?country=AU&fqdn=acme.com.au`.',
  );

const JobRun = RunFacts.extend({
  goOn: z
    .string()
    .nullable()
    .describe('How to go on with an unfinished run, in a sentence; null for any other.'),
}).meta({ id: 'JobRun' });

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
            .array(JobRun)
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
        possiblyCharged: requests,
      })
      .nullable()
      .describe('All lookups together; null where there was none or a job was named.'),
    snapshot: SnapshotJson.nullable().describe(
      'The snapshots of its ledger, where a job was named that has any; else null.',
    ),
  })
  .meta({ id: 'StatusJson' });

export type StartStatus = z.output<typeof StartStatus>;
export type StatusJson = z.output<typeof StatusJson>;
export type JobStatus = StatusJson['jobs'][number];
export type JobRun = JobStatus['runs'][number];
export type LookupStatus = NonNullable<StatusJson['lookups']>;
