import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import {
  count,
  countOrNull,
  numberOrNull,
  string,
  stringOrNull,
  time,
  timeOrNull,
  yesOrNo,
} from '../core/values/fields.ts';
import { refuseMissing } from '../engine/ledger/file/ledger-file.ts';
import { isJobLocked } from '../engine/ledger/file/locks.ts';
import { type Ledger, openLedgerToRead } from '../engine/ledger/open-ledger.ts';
import { type Run, runName } from '../engine/ledger/runs/runs.ts';
import type { Start } from '../engine/ledger/runs/starts.ts';
import type { JobResult, ResolvedJob } from '../job/resolved-job.ts';
import { fromHere } from '../platform/files/local-path.ts';
import { pathValues, placesOf } from '../results/destinations/places.ts';
import { DestinationState } from '../results/manifest.ts';
import { noRunOf } from '../run/jobs/read-job.ts';
import {
  iso,
  isoOrNull,
  possiblyChargedOf,
  readDeliveries,
  readJobFacts,
} from '../run/run-facts.ts';
import { RunFacts } from '../run/run-schemas.ts';

/** Printed by `status --json` and `ledger info --json`. */
export const SnapshotJson = z.strictObject({
  address: string("URL of the snapshot: the job's `ledger.snapshot`."),
  storedAt: timeOrNull('When the newest snapshot was stored; null if there is none yet.'),
  answers: countOrNull('Answers in the newest snapshot.'),
  object: stringOrNull('Object that holds the newest snapshot, compressed with zstd.'),
  bytes: countOrNull('Size of `object` in bytes.'),
  holder: z
    .strictObject({
      job: string('Job or command that holds the lease.'),
      host: string('Machine that holds the lease.'),
      pid: count('Process id on `host`.'),
      since: time('When the lease was taken, by the clock of `host`.'),
    })
    .nullable()
    .describe('Process that holds the lease on the ledger; null if the ledger is not in use.'),
  here: z
    .enum(['current', 'other', 'missing'])
    .nullable()
    .describe(
      'Ledger on this machine. `current`: it matches the newest snapshot, apart from answers added since, or no snapshot exists yet. `other`: it does not match. `missing`: there is none.',
    ),
  callsAtRisk: count('Answers that are only on this machine, in no snapshot.'),
  trouble: stringOrNull('Why the snapshot could not be read; null if it was read.'),
});
export type SnapshotJson = z.output<typeof SnapshotJson>;

/** One process that ran the job. */
const StartStatus = z.strictObject({
  startedAt: time('When the process started to work on the job.'),
  state: z
    .enum(['running', 'ended', 'killed'])
    .describe(
      '`running`: still running. `ended`: ended by itself. `killed`: the process disappeared, as after `kill -9` or a power cut.',
    ),
  endedAt: timeOrNull('When the process ended; null if it is running or was killed.'),
  seconds: numberOrNull('Seconds from start to end; null if `endedAt` is null.'),
  startedBy: z
    .enum(['page', 'terminal', 'script'])
    .describe(
      '`page`: the workbench. `terminal`: a user at a terminal. `script`: a program such as a scheduler.',
    ),
  exitCode: countOrNull('Exit code of the command; null if `endedAt` is null.'),
  reason: stringOrNull(
    'Code of the error that ended the process; `BUG` for an unexpected error; `HELD` for a held result; null otherwise.',
  ),
  run: stringOrNull('Run that the process worked on; null if it ended before the run began.'),
  host: string('Name of the machine.'),
  pid: count('Process id on `host`.'),
  version: string('Version of Dossier.'),
});

export const StatusJson = z.strictObject({
  ledger: string('Path of the ledger. The ledger may not exist yet.'),
  jobs: z
    .array(
      z.strictObject({
        job: string('Name of the job.'),
        running: yesOrNo('True if a process is working on the job now.'),
        runCount: count('Number of runs in the ledger.'),
        destinations: z
          .array(DestinationState)
          .describe('What each destination has. Empty before the first published run.'),
        runs: z
          .array(RunFacts)
          .describe(
            'As many runs as `--runs`, or one if no job is named. First the current run or, if none is running, the last run without a `limit`; then the others, newest first. A run with a `limit` is a trial run.',
          ),
        starts: z
          .array(StartStatus)
          .describe(
            'Processes that worked on the job, newest first: five, or one if no job is named. Processes that found the job busy are not listed. The ledger keeps 200 per job.',
          ),
      }),
    )
    .describe('The named job, or every job in the ledger.'),
  lookups: z
    .strictObject({
      count: count('Number of `dossier lookup` commands.'),
      lastAt: time('When `dossier lookup` was last used.'),
      possiblyCharged: RunFacts.shape.possiblyCharged,
    })
    .nullable()
    .describe(
      'All `dossier lookup` commands together; null if there were none, or if a job is named.',
    ),
  snapshot: SnapshotJson.nullable().describe(
    "Snapshot of the named job's ledger; null if no job is named or the job has no snapshot.",
  ),
});
export type StatusJson = z.output<typeof StatusJson>;
export type JobStatus = StatusJson['jobs'][number];

/** Reads `copy` if the ledger itself is not on this machine. */
export function readStatus(
  given: string | undefined,
  runs: number,
  job: ResolvedJob,
  copy: string,
) {
  const { mustExist, snapshot } = job.ledgerCare;
  // Between two runs, a ledger may exist only as its snapshot, so a missing file is not an error.
  if (mustExist && !snapshot) refuseMissing(job.ledger);
  using ledger = openLedgerToRead(copy);
  const shown = fromHere(job.ledger);
  // A job file that has not run yet is not an error.
  const isUnknown = given !== undefined && !existsSync(given);
  if (!ledger) {
    if (isUnknown) throw noRunOf(job.name, [], shown);
    const note = snapshot
      ? `There is no ${shown} on this machine.`
      : `Nothing has run yet: there is no ${shown}.`;
    return { status: { ledger: job.ledger, jobs: [], lookups: null }, notes: [note] };
  }
  return ledger.inTransaction(() => {
    const isNamed = given !== undefined;
    const known = ledger.runs.jobs();
    const names = isNamed ? [job.name] : known;
    const jobs = names
      .map((name) => readJob(ledger, job, name, isNamed ? runs : 1, isNamed))
      .filter(({ runCount, starts }) => runCount > 0 || (isNamed && starts.length > 0));
    if (jobs.length === 0 && isUnknown) throw noRunOf(job.name, known, shown);
    const lookups = isNamed ? null : readLookups(ledger, job.ledger);
    const notes = jobs.length === 0 ? [`${shown} has no run of ${given ?? 'a job'} yet.`] : [];
    return { status: { ledger: job.ledger, jobs, lookups }, notes };
  });
}

const startsShown = 5;

/** The output folder is known only if the user named the job. */
function readJob(
  ledger: Ledger,
  job: ResolvedJob,
  name: string,
  most: number,
  isNamed: boolean,
): JobStatus {
  const { runs, facts, starts, isRunning } = readJobFacts(ledger, job.ledger, name, most);
  return {
    job: name,
    running: isRunning,
    runCount: runs.length,
    destinations: readDeliveries(ledger, name),
    runs: facts.map((one, index) => {
      const run = runs[index];
      return { ...one, folder: isNamed && run ? existingHeldFolder(job, run) : null };
    }),
    starts: starts
      .slice(0, isNamed ? startsShown : 1)
      .map((start, index) => readStart(start, isRunning && index === 0)),
  };
}

function existingHeldFolder({ output }: JobResult, run: Run) {
  const folder = placesOf(output.path, pathValues(run)).held;
  return existsSync(join(folder, 'manifest.json')) ? folder : null;
}

function readStart(start: Start, mayRun: boolean): JobStatus['starts'][number] {
  const { job: _, runId, startedAt, endedAt, ...facts } = start;
  return {
    ...facts,
    startedAt: iso(startedAt),
    state: endedAt === null ? (mayRun ? 'running' : 'killed') : 'ended',
    endedAt: isoOrNull(endedAt),
    seconds: endedAt === null ? null : Math.max(0, endedAt - startedAt) / 1_000,
    run: runId === null ? null : runName({ id: runId }),
  };
}

/** A ledger may have thousands of lookups, so they are only counted. */
function readLookups(ledger: Ledger, path: string): StatusJson['lookups'] {
  const runs = ledger.runs.list().filter(({ kind }) => kind === 'lookup');
  const [newest] = runs;
  if (!newest) return null;
  const possiblyCharged = runs.flatMap((run) =>
    possiblyChargedOf(ledger, run, run.state === 'open' && isJobLocked(path, run.job)),
  );
  return { count: runs.length, lastAt: iso(newest.startedAt), possiblyCharged };
}
