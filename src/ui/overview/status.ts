import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { z } from 'zod';
import {
  count,
  countOrNull,
  string,
  stringOrNull,
  time,
  timeOrNull,
  yesOrNo,
} from '../../core/runtime/json/fields.ts';
import { refuseMissing } from '../../engine/ledger/file/ledger-file.ts';
import { isJobLocked, isLookupSlot } from '../../engine/ledger/file/locks.ts';
import { type Ledger, openLedgerToRead } from '../../engine/ledger/open-ledger.ts';
import { type Run, runName } from '../../engine/ledger/runs/runs.ts';
import type { Start } from '../../engine/ledger/runs/starts.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { RunFacts } from '../../results/manifest.ts';
import { heldFolderOf } from '../../run/destinations.ts';
import { jobNames, possiblyChargedOf, readJobFacts } from '../../run/run-facts.ts';
import { noRunOf } from './jobs.ts';

/** Printed by `status --json` and `ledger info --json`. */
export const SnapshotJson = z.strictObject({
  address: string('`ledger.snapshot` of the job.'),
  storedAt: timeOrNull('When it was stored; null before the first.'),
  answers: countOrNull('Answers in it.'),
  object: stringOrNull('The object with it, compressed with zstd.'),
  bytes: countOrNull('Size of the object.'),
  holder: z
    .strictObject({
      job: string('What the lease is for: a job or a command.'),
      host: string('Name of the machine.'),
      pid: count('Its process id on that machine.'),
      since: time('When it was taken, by the clock of that machine.'),
    })
    .nullable()
    .describe('Who uses the ledger; null if it is not in use.'),
  here: z
    .enum(['current', 'other', 'missing'])
    .nullable()
    .describe('Ledger of this machine: the one of the snapshot, another, or none.'),
  callsAtRisk: count('Answers of this machine that are in no snapshot.'),
  trouble: stringOrNull('Why the store could not be read.'),
});
export type SnapshotJson = z.output<typeof SnapshotJson>;

/** One process that held the job. */
const StartStatus = z.strictObject({
  startedAt: time('When it took the job.'),
  state: z
    .enum(['running', 'ended', 'killed'])
    .describe('`killed`: its process is gone without an end, as after `kill -9` or a power cut.'),
  endedAt: timeOrNull('When it ended; null if it has not, or was killed.'),
  seconds: z.number().nullable().describe('From start to end; null without an end.'),
  startedBy: z
    .enum(['page', 'terminal', 'script'])
    .describe('The workbench, a user at a terminal, or a program such as a scheduler.'),
  exitCode: countOrNull('The exit code of the command; null without an end.'),
  reason: stringOrNull(
    'Code of the error that ended it, or `BUG`; null if it finished or has no end.',
  ),
  run: stringOrNull('The run it worked on; null if it ended before that.'),
  host: string('Name of the machine.'),
  pid: count('Its process id on that machine.'),
  version: string('Version of Dossier.'),
});

/** Printed by `status --json`. */
export const StatusJson = z.strictObject({
  ledger: string('The ledger that was read; it may not exist yet.'),
  jobs: z
    .array(
      z.strictObject({
        job: string('Name of the job.'),
        running: yesOrNo('Whether a process is at work on it now.'),
        runCount: count('Runs that the ledger knows.'),
        runs: z
          .array(RunFacts)
          .describe(
            '--runs of them, or one if no job is named: the current or else the last whole run, then the newest. A run with a `limit` is a try.',
          ),
        starts: z
          .array(StartStatus)
          .describe(
            'Newest first: five, or one if no job is named. Starts that found the job busy are not listed. The ledger keeps 200 per job.',
          ),
      }),
    )
    .describe('The job that was named, or every job of the ledger.'),
  lookups: z
    .strictObject({
      count: count('Number of `dossier lookup` commands.'),
      lastAt: time('When it was last used.'),
      possiblyCharged: RunFacts.shape.possiblyCharged,
    })
    .nullable()
    .describe('All lookups together; null without any, or if a job is named.'),
  snapshot: SnapshotJson.nullable().describe(
    'Snapshots of the ledger of a named job; otherwise null.',
  ),
});
export type StatusJson = z.output<typeof StatusJson>;
export type JobStatus = StatusJson['jobs'][number];

/** A job without a run is a result with a note, not an error. `copy` replaces a ledger that is not on this machine. */
export function readStatus(given: string | undefined, runs: number, of: ResolvedJob, copy: string) {
  const { mustExist, snapshot } = of.ledgerCare;
  // Between two runs a ledger with a snapshot may be on no disk.
  if (mustExist && !snapshot) refuseMissing(of.ledger);
  using ledger = openLedgerToRead(copy);
  const shown = relative(process.cwd(), of.ledger);
  // A file that has not run yet is not an error.
  const isUnknown = given !== undefined && !existsSync(given);
  if (!ledger) {
    if (isUnknown) throw noRunOf(of.name, [], shown);
    const note = snapshot
      ? `There is no ${shown} on this machine.`
      : `Nothing has run yet: there is no ${shown}.`;
    return { status: { ledger: of.ledger, jobs: [], lookups: null }, notes: [note] };
  }
  // One transaction, so the counts match.
  return ledger.together(() => {
    const isNamed = given !== undefined;
    const known = jobNames(ledger);
    const names = isNamed ? [of.name] : known;
    const jobs = names
      .map((name) => readJob(ledger, of, name, isNamed ? runs : 1, isNamed))
      .filter(({ runCount, starts }) => runCount > 0 || (isNamed && starts.length > 0));
    if (jobs.length === 0 && isUnknown) throw noRunOf(of.name, known, shown);
    const lookups = isNamed ? null : readLookups(ledger, of.ledger);
    const notes = jobs.length === 0 ? [`${shown} has no run of ${given ?? 'a job'} yet.`] : [];
    return { status: { ledger: of.ledger, jobs, lookups }, notes };
  });
}

const startsShown = 5;

/** Only the output folder of a named job is known. */
function readJob(
  ledger: Ledger,
  of: ResolvedJob,
  job: string,
  most: number,
  isNamed: boolean,
): JobStatus {
  const { runs, facts, starts, isRunning } = readJobFacts(ledger, of.ledger, job, most);
  return {
    job,
    running: isRunning,
    runCount: runs.length,
    runs: facts.map((one, index) => {
      const run = runs[index];
      return { ...one, folder: isNamed && run ? asideOf(of, run) : null };
    }),
    starts: starts
      .slice(0, isNamed ? startsShown : 1)
      .map((start, index) => readStart(start, isRunning && index === 0)),
  };
}

/** Null if no files were put aside. */
function asideOf({ output }: ResolvedJob, run: Run): string | null {
  const folder = heldFolderOf(output.path, run);
  return existsSync(join(folder, 'manifest.json')) ? folder : null;
}

/** A start without an end is running, or its process was killed. */
function readStart(start: Start, mayRun: boolean): JobStatus['starts'][number] {
  const { job: _, runId, startedAt, endedAt, ...facts } = start;
  return {
    ...facts,
    startedAt: iso(startedAt),
    state: endedAt === null ? (mayRun ? 'running' : 'killed') : 'ended',
    endedAt: endedAt === null ? null : iso(endedAt),
    seconds: endedAt === null ? null : Math.max(0, endedAt - startedAt) / 1_000,
    run: runId === null ? null : runName({ id: runId }),
  };
}

/** Each lookup is a run, and a ledger may hold thousands of them. */
function readLookups(ledger: Ledger, path: string): StatusJson['lookups'] {
  const runs = ledger.runs.list().filter(({ job }) => isLookupSlot(job));
  const [newest] = runs;
  if (!newest) return null;
  const possiblyCharged = runs.flatMap((run) =>
    possiblyChargedOf(ledger, run, run.state === 'open' && isJobLocked(path, run.job)),
  );
  return { count: runs.length, lastAt: iso(newest.startedAt), possiblyCharged };
}

function iso(wallMs: number): string {
  return new Date(wallMs).toISOString();
}
